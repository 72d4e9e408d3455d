import { type Authenticate, type Gatekeeper, readAccess } from '../../protocol/auth.ts';
import { CODE } from '../../protocol/errors.ts';
import { easing } from '../../protocol/log.ts';
import { andThen, settle } from '../../protocol/maybe.ts';
import type { Change } from '../../server/changes.ts';
import { createEngine } from '../../server/create-engine.ts';
import type { Server } from '../../server/define.ts';
import { reportFailure } from '../../server/failure.ts';
import { memoryStore } from '../../store/memory.ts';
import { HEADER } from '../../wire/headers.ts';
import { spokenBy } from '../connection/era.ts';
import { serveAlone } from './alone.ts';
import { joinCluster, type NodeMessage } from './cluster.ts';
import type { Endpoint, Visit } from './endpoint.ts';
import { TICKS } from './event-stream.ts';
import { type Body, type Called, type Lookup, readBody } from './facts.ts';
import { serveGet } from './get.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { answerOptions, corsHeaders } from './guard-cors.ts';
import { type HttpSession, keepUntold } from './http-session.ts';
import { createKeeper } from './keeper.ts';
import { methodsOf } from './ladder-head.ts';
import { type Admission, admitPost, refuseAtDoor, refuseHead } from './ladder.ts';
import { cancelCall, initialize, serveInSession } from './legacy.ts';
import { endListening } from './listen.ts';
import type { HttpReply, HttpRequest } from './message.ts';
import { createMirrors } from './mirrors.ts';
import { serveModern } from './modern.ts';
import { tellSessions, tellUntold } from './notify.ts';
import type { HttpOptions } from './options.ts';
import { servePages } from './pages.ts';
import { failRequest, refuse, sendDenial, sendError } from './refuse.ts';
import { createScopes } from './scopes.ts';
import { createSessions } from './sessions.ts';
import { createSsePair, SSE_PATHS, type SsePair } from './sse-pair.ts';

/** A server that answers HTTP requests, whoever takes them. */
export interface HttpHandler {
  handle(request: HttpRequest, reply: HttpReply): void;
  /** From now on new work is refused, and subscriptions end. Resolves when no call runs any more, or after so many milliseconds. */
  drain(ms: number): Promise<void>;
  /** Ends everything. */
  close(): void;
}

/** Throws a `TypeError` for times that are none. */
const pollingOf = ({ polling }: HttpOptions): { afterMs: number; retryMs: number } | undefined => {
  if (polling === undefined) return undefined;
  const { afterMs, retryMs = 1_000 } = polling;
  for (const ms of [afterMs, retryMs])
    if (!(Number.isSafeInteger(ms) && ms > 0))
      throw new TypeError(`\`polling\` needs positive whole milliseconds, got ${String(ms)}`);
  return { afterMs, retryMs };
};

/** Throws a `TypeError` for an `auth` that is there and cannot be asked: without one, everybody would be let in. */
function authOf(options: HttpOptions): { readonly gate?: Gatekeeper; readonly auth?: Authenticate } {
  if (!Object.hasOwn(options, 'auth')) return {};
  const { auth } = options;
  if (typeof auth === 'function') return { auth };
  if (typeof auth?.authenticate === 'function') return { gate: auth, auth: auth.authenticate };
  throw new TypeError(
    `\`auth\` is ${auth === null ? 'null' : typeof auth}: give a function or \`protectedResource({ … })\`, or leave the option out for a server that anybody may call`,
  );
}

const tickOf = (keepAliveMs: number, polling: { afterMs: number } | undefined): number =>
  Math.ceil(Math.min(keepAliveMs, polling?.afterMs ?? keepAliveMs) / TICKS);

/** How often it is looked whether calls still run, in milliseconds. */
const DRAIN_STEP_MS = 10;

/** Makes the handler of a server. Throws for options that are not safe, or cannot work. */
export const createHttpHandler = (
  app: Server,
  options: HttpOptions,
  guardOptions: Pick<GuardOptions, 'bound' | 'expose'> = {},
): HttpHandler => {
  const engine = createEngine(app, options);
  const { limits, log } = engine;
  const { bus, store } = options;
  const { gate, auth } = authOf(options);
  const guard = createGuard({
    ...guardOptions,
    ...(options.hosts === undefined ? {} : { hosts: options.hosts }),
    ...(options.origins === undefined ? {} : { origins: options.origins }),
    authenticated: auth !== undefined,
  });
  const spoken = spokenBy(engine.revisions);
  const lookup: Lookup = {
    guard,
    endpoint: options.path,
    spoken,
    sessions: options.sessions ?? true,
    limits,
    has: engine.has,
  };
  const cluster = bus === undefined ? undefined : joinCluster(bus, log, (message) => hear(message));
  let lastId = 0;
  const node = cluster?.node ?? '';
  const listeners = new Set<(change: Change) => void>();
  const faults = easing(log);
  const polling = pollingOf(options);
  let draining = false;
  const endpoint: Endpoint = {
    engine,
    lookup,
    sessions: createSessions({
      limits,
      store: bus === undefined ? undefined : store,
      node,
      nextId: () => (cluster === undefined ? ++lastId : `${node}:${++lastId}`),
    }),
    events: { store: store ?? memoryStore(), bus, lifeMs: limits.resumeMs },
    around: { keeper: createKeeper(tickOf(limits.keepAliveMs, polling)), limits, faults, polling },
    cluster,
    mirrors: createMirrors(engine, log),
    scopes: createScopes(engine, gate, auth !== undefined),
    faults,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    load: { running: 0 },
    get draining() {
      return draining;
    },
  };
  const pair: SsePair | undefined =
    options.sse === true && spoken.legacy.length > 0 ? createSsePair(endpoint) : undefined;
  const pairLookup: Lookup = { ...lookup, endpoint: undefined };

  const told = (change: Change): void => {
    for (const listener of listeners) listener(change);
    tellSessions(endpoint, change);
  };
  const forget = engine.subscribe((change) => {
    told(change);
    cluster?.tellAll({ kind: 'change', server: nameOf(app), change });
  });
  const hear = (message: NodeMessage): void => take(endpoint, pair, nameOf(app), told, message);

  const route = (visit: Visit): void => {
    const { request, reply, principal } = visit;
    const half = pair === undefined ? undefined : halfOf(request.path, options.path);
    if (half !== undefined) return pair![half](visit);
    const id = request.header(HEADER.session);
    const found =
      typeof id === 'string' && id !== '' && lookup.sessions ? endpoint.sessions.find(id, principal) : undefined;
    void settle(
      () => found,
      (session) => serve(endpoint, visit, session),
      (error) => failed(reply, visit.headers, error),
    );
  };
  const failed = (reply: HttpReply, headers: Visit['headers'], error: unknown): void =>
    failRequest(endpoint, reply, headers, error);

  const handle = (request: HttpRequest, reply: HttpReply): void => {
    if (gate !== undefined && servePages(gate, guard, request, reply, (error) => failed(reply, undefined, error)))
      return undefined;
    const rules = pair !== undefined && halfOf(request.path, options.path) !== undefined ? pairLookup : lookup;
    const refusal = refuseAtDoor(request, rules);
    if (refusal !== undefined) return refuse(endpoint, reply, refusal, undefined);
    const origin = request.header('origin');
    const headers = typeof origin === 'string' ? corsHeaders(guard, origin) : undefined;
    if (request.method === 'OPTIONS') {
      const answer = answerOptions(guard, origin, request.header('access-control-request-headers'), methodsOf(lookup));
      return reply.send(answer.status, answer.headers);
    }
    if (draining) {
      const error = { code: CODE.internalError, message: 'The server is shutting down' };
      return sendError(reply, 503, error, { ...headers, 'retry-after': '5' });
    }
    if (auth === undefined) return route({ request, reply, principal: undefined, headers });
    return void settle(
      () => auth(request),
      (found) => {
        const access = readAccess(found);
        if ('principal' in access) return route({ request, reply, principal: access.principal, headers });
        const { denial, fault } = access;
        endpoint.faults({
          level: fault === undefined ? 'info' : 'error',
          event: 'request-refused',
          message: `A request was refused with status ${denial.status} (caller): ${fault ?? denial.message}`,
        });
        const error = { code: CODE.invalidRequest, message: denial.message };
        return sendError(reply, denial.status, error, { ...headers, ...denial.headers });
      },
      (error) => failed(reply, headers, error),
    );
  };

  return {
    handle: options.onTrace === undefined ? handle : tracing(handle, options.onTrace, endpoint),
    async drain(ms) {
      draining = true;
      endListening(endpoint);
      for (const session of endpoint.sessions.all()) session.listening?.end();
      const late = Date.now() + ms;
      while (endpoint.load.running > 0 && Date.now() < late)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
    },
    close() {
      draining = true;
      forget();
      endListening(endpoint);
      pair?.close();
      endpoint.sessions.close();
      endpoint.around.keeper.close();
      cluster?.close();
      listeners.clear();
    },
  };
};

/** Takes requests as `handle` does, and tells all that passes. */
const tracing = (
  handle: HttpHandler['handle'],
  onTrace: NonNullable<HttpOptions['onTrace']>,
  { engine: { limits }, lookup: { sessions }, cluster }: Endpoint,
): HttpHandler['handle'] => {
  const loaded = import('../trace/traced-handler.ts').then(({ createHttpTracer }) =>
    createHttpTracer({ onTrace, limits, sessions, shared: cluster !== undefined }),
  );
  return (request, reply) => void loaded.then((traced) => handle(...traced(request, reply)));
};

/** The half of HTTP+SSE that a path belongs to. Beside the endpoint, or wherever somebody mounted both. */
const halfOf = (path: string, endpoint: string | undefined): 'listen' | 'post' | undefined => {
  const at = path.lastIndexOf('/') + 1;
  if (endpoint !== undefined && path.slice(0, at) !== endpoint.slice(0, endpoint.lastIndexOf('/') + 1))
    return undefined;
  const last = path.slice(at);
  return last === SSE_PATHS.listen ? 'listen' : last === SSE_PATHS.post ? 'post' : undefined;
};

/** Serves a request of a known sender. */
const serve = (endpoint: Endpoint, visit: Visit, session: HttpSession | undefined): void => {
  const { lookup, sessions, engine } = endpoint;
  const { request, reply, headers } = visit;
  const { method, path, host, header, repeated } = request;
  const called: Called = { method, path, host, header, repeated, session: session?.agreed };
  const refusal = refuseHead(called, lookup);
  if (refusal !== undefined) return refuse(endpoint, reply, refusal, headers);
  if (method === 'GET')
    return void serveGet(endpoint, visit, session!).catch((error: unknown) => {
      reportFailure('A stream', error, engine.log);
      if (!reply.closed) reply.destroy();
    });
  if (method === 'DELETE') {
    endpoint.cluster?.tellAll({ kind: 'session', session: session!.id, ended: true });
    return void andThen(sessions.end(session!), () => reply.send(204, headers ?? {}));
  }
  request.body(lookup.limits.bodyBytes, (text) =>
    posted(endpoint, visit, session, called, text === undefined ? { kind: 'oversize' } : readBody(text, engine.limits)),
  );
};

const posted = (
  endpoint: Endpoint,
  visit: Visit,
  session: HttpSession | undefined,
  called: Called,
  body: Body,
): void => {
  const { reply, headers } = visit;
  const admission = admitPost(called, body, endpoint.lookup);
  switch (admission.kind) {
    case 'refused':
      return refuse(endpoint, reply, admission.refusal, headers, admission.id);
    case 'noted':
      return reply.send(202, headers ?? {});
    case 'initialize':
      return initialize(endpoint, visit, admission.message);
    default:
      if (!endpoint.scopes.matter) return serveAdmitted(endpoint, visit, session, admission);
      return allowed(endpoint, visit, session, admission);
  }
};

type Admitted = Extract<Admission, { kind: 'modern' | 'legacy' }>;

const serveAdmitted = (
  endpoint: Endpoint,
  visit: Visit,
  session: HttpSession | undefined,
  admission: Admitted,
): void => {
  if (admission.kind === 'modern') return serveModern(endpoint, visit, admission.message, admission.claim);
  if (session === undefined) return serveAlone(endpoint, visit, admission.message, admission.revision);
  return serveInSession(endpoint, visit, session, admission.message);
};

/** Goes on with what the token of the sender is enough for. */
const allowed = (endpoint: Endpoint, visit: Visit, session: HttpSession | undefined, admission: Admitted): void => {
  const { message } = admission;
  const go = (): void => serveAdmitted(endpoint, visit, session, admission);
  void settle(
    () => endpoint.scopes.refuses('items' in message ? message.items : message, visit.principal),
    (denial) => (denial === undefined ? go() : sendDenial(visit, denial)),
    // Nobody knows what it takes, so nobody may.
    (error) => failRequest(endpoint, visit.reply, visit.headers, error),
  );
};

/** Takes what another node says. */
const take = (
  { sessions, cluster }: Endpoint,
  pair: SsePair | undefined,
  server: string,
  told: (change: Change) => void,
  message: NodeMessage,
): void => {
  if (message.kind === 'posted') return pair?.take(message.session, message.owner, message.text);
  // Nodes of one process hear of the changes of their server themselves.
  if (message.kind === 'change') return message.server === server ? undefined : told(message.change);
  const session = sessions.known(message.session);
  if (session === undefined) return undefined;
  switch (message.kind) {
    case 'response':
      return void session.agreed.settle(message.response);
    case 'cancelled':
      return void cancelCall(session, message.id, message.reason);
    case 'session':
      return sessions.forget(message.session, message.ended);
    case 'listening':
      session.elsewhere = message.on;
      if (!message.on) return undefined;
      // The client came back over there. What could not be told here is told there.
      session.listening?.end();
      session.listening = undefined;
      if (session.untold === undefined) return undefined;
      cluster?.tell(message.node, { kind: 'untold', session: session.id, changes: [...session.untold.values()] });
      session.untold = undefined;
      return undefined;
    default:
      for (const change of message.changes) keepUntold(session, change);
      return tellUntold(session);
  }
};

/** The name of a server value among the nodes of this process. */
const NAMES = new WeakMap<Server, string>();
const nameOf = (app: Server): string => {
  const name = NAMES.get(app) ?? crypto.randomUUID();
  NAMES.set(app, name);
  return name;
};
