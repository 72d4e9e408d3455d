import type { Authenticate, AuthRequest, Gatekeeper } from '../../protocol/auth.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import type { Principal } from '../../protocol/request-context.ts';
import type { Logger } from '../../protocol/log.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import type { Change } from '../../server/changes.ts';
import { createEngine } from '../../server/create-engine.ts';
import type { Server } from '../../server/define.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/report-failure.ts';
import { memoryStore } from '../../store/memory.ts';
import { isUnavailable, refusalOf, UnavailableError } from '../../store/unavailable.ts';
import { errorText } from '../../wire/text.ts';
import type { ServerCall } from '../serving/server-call.ts';
import type { CallService } from '../serving/serve-call.ts';
import { Subscriptions } from '../serving/subscriptions.ts';
import type { Watcher } from '../serving/announce-resource.ts';
import { announce } from '../serving/updates.ts';
import { within } from '../promises.ts';
import { readAccess } from './auth-result.ts';
import { refuseAccess, refuseHead } from './run-checks.ts';
import { HttpExchange } from './http-exchange.ts';
import type { HttpRules } from './request-check.ts';
import { Cluster, type NodeMessage } from './cluster.ts';
import type { Endpoint } from './endpoint.ts';
import { rateLimitedLogger } from '../../protocol/rate-limited-logger.ts';
import { EndpointCallTracker } from './endpoint-call-tracker.ts';
import type { EventStore } from './legacy/event-log.ts';
import { type StreamContext, TICKS } from './event-stream.ts';
import { serveGet } from './legacy/serve-get.ts';
import { createGuard, type Guard, type GuardOptions } from './host-guard.ts';
import { answerOptions, corsHeaders } from './cors.ts';
import { HandOver } from './legacy/hand-over.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { createMirrors, type Mirrors } from './modern/mirrors.ts';
import type { HttpOptions } from './options.ts';
import { servePages } from './auth-pages.ts';
import { failRequest, refuse, refuseCaller, refuseWhileDraining, reportUnavailable } from './refuse.ts';
import { createScopes, type Scopes } from './scopes.ts';
import { servePost } from './serve-post.ts';
import { answerSessionless } from './legacy/serve-sessionless.ts';
import { closeStream, deliverMessage, wantsChange, watcherOf } from './legacy/session-changes.ts';
import { Sessions } from './legacy/sessions.ts';
import { createSsePair, SSE_PATHS, type SsePair } from './legacy/sse-pair.ts';
import { MissedChanges } from './missed-changes.ts';
import { createNodeBus } from './node-bus.ts';
import { handleSessionMessage, passOnAll, type SessionMessage } from './node-messages.ts';
import { createTicker } from './ticker.ts';

/** Answers HTTP requests for a server, independent of the HTTP library. */
export interface HttpHandler {
  handle(request: HttpRequest, reply: HttpReply): void;
  /** Refuses new work from now on, and ends subscriptions. Resolves when no call is running, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
  /** Ends everything. */
  close(): void;
}

/** Throws a `TypeError` for times that are not positive integers. */
function pollingOf({ polling }: HttpOptions): StreamContext['polling'] {
  if (polling === undefined) return undefined;
  const { afterMs, retryMs = 1_000 } = polling;
  for (const ms of [afterMs, retryMs])
    if (!(Number.isSafeInteger(ms) && ms > 0))
      throw new TypeError(`\`polling\` needs positive whole milliseconds, got ${String(ms)}`);
  return { afterMs, retryMs };
}

/** Throws a `TypeError` for an `auth` of the wrong type: if it were ignored, every caller would be let in. */
function authOf(options: HttpOptions): { readonly gate?: Gatekeeper; readonly auth?: Authenticate } {
  if (!Object.hasOwn(options, 'auth')) return {};
  const { auth } = options;
  if (typeof auth === 'function') return { auth };
  if (typeof auth?.authenticate === 'function') return { gate: auth, auth: auth.authenticate };
  throw new TypeError(
    `\`auth\` is ${auth === null ? 'null' : typeof auth}: use a function or \`protectedResource({ … })\`, or omit it for a public server`,
  );
}

function tickMs(keepAliveMs: number, polling: StreamContext['polling']): number {
  return Math.ceil(Math.min(keepAliveMs, polling?.afterMs ?? keepAliveMs) / TICKS);
}

/** One server at one address. Throws for unsafe or invalid options. */
class HttpEndpoint implements Endpoint, HttpHandler {
  readonly engine: Engine;
  readonly rules: HttpRules;
  readonly sessions: Sessions;
  readonly subscriptions: Subscriptions;
  readonly events: EventStore;
  readonly streams: StreamContext;
  readonly cluster: Cluster | undefined;
  readonly mirrors: Mirrors;
  readonly scopes: Scopes;
  readonly faults: Logger;
  readonly calls: EndpointCallTracker;
  readonly modern: CallService;
  readonly sessionless: CallService;
  readonly #addressHeader: string | undefined;
  readonly #useOnce: AuthRequest['useOnce'];
  readonly #guard: Guard;
  readonly #gate: Gatekeeper | undefined;
  readonly #auth: Authenticate | undefined;
  /** Clients of HTTP+SSE, if they are served, and the rules for their two paths. */
  readonly #pair: SsePair | undefined;
  readonly #pairRules: HttpRules;
  readonly #app: Server;
  readonly #unsubscribe: () => void;
  readonly #missedChanges = new MissedChanges(this);
  #lastId = 0;
  draining = false;
  handOver: HandOver | undefined;

  constructor(app: Server, options: HttpOptions, guardOptions: Pick<GuardOptions, 'bound' | 'expose'>) {
    const engine = (this.engine = createEngine(app, options));
    const { limits, log, supported } = engine;
    const { bus, store } = options;
    const { gate, auth } = authOf(options);
    this.#gate = gate;
    this.#addressHeader = options.addressHeader?.toLowerCase();
    if (store !== undefined) this.#useOnce = (key, lifeMs) => store.add(`tenon/used/${key}`, 1, lifeMs);
    this.#auth = auth;
    const guard = (this.#guard = createGuard({
      ...guardOptions,
      allowedHosts: options.allowedHosts,
      allowedOrigins: options.allowedOrigins,
      authenticated: auth !== undefined,
    }));
    const { path, sessions = true } = options;
    const methods = sessions && supported.legacy.length > 0 ? ['GET', 'POST', 'DELETE'] : ['POST'];
    this.rules = { guard, path, supported, sessions, methods, limits };
    this.#pairRules = { ...this.rules, path: undefined };
    this.#app = app;
    this.faults = rateLimitedLogger(log);
    const polling = pollingOf(options);
    this.streams = { ticker: createTicker(tickMs(limits.keepAliveMs, polling)), limits, faults: this.faults, polling };
    const nodeBus = bus === undefined ? undefined : createNodeBus(bus, this.faults);
    const cluster = (this.cluster =
      nodeBus === undefined
        ? undefined
        : new Cluster(nodeBus, {
            handle: (message) => this.#handleNodeMessage(message),
            missed: () => this.#missedChanges.note(),
          }));
    // Another process may serve the same sessions, at the same time or after this one: ids of requests to their clients must not meet.
    const node = cluster?.node ?? (store === undefined ? '' : crypto.randomUUID());
    this.sessions = new Sessions({
      limits,
      store,
      node,
      log: this.faults,
      nextId: () => (node === '' ? ++this.#lastId : `${node}:${++this.#lastId}`),
      deliver: (session, text) => deliverMessage(this, session, text),
    });
    this.events = {
      store: store ?? memoryStore(),
      isShared: store !== undefined,
      bus: nodeBus,
      lifeMs: limits.resumeMs,
      openMs: Math.max(limits.resumeMs, limits.keepAliveMs),
      ticker: this.streams.ticker,
      faults: this.faults,
    };
    this.mirrors = createMirrors(engine);
    this.scopes = createScopes(engine, gate, auth !== undefined);
    this.subscriptions = new Subscriptions(engine, { all: limits.sessions, ofPrincipal: limits.subscriptions });
    const calls = (this.calls = new EndpointCallTracker(limits));
    this.modern = { engine, calls, answer: (call) => this.#answerModern(call) };
    this.sessionless = { engine, calls, answer: (call) => answerSessionless(engine, call) };
    this.#pair = options.sse === true && supported.legacy.length > 0 ? createSsePair(this) : undefined;
    this.#unsubscribe = engine.subscribe((change) => {
      this.#announce(change);
      cluster?.broadcast({ kind: 'change', server: nameOf(app), change });
    });
  }

  handle(request: HttpRequest, reply: HttpReply): void {
    const http = new HttpExchange(request, reply, this.#addressHeader, this.#useOnce);
    if (this.#gate !== undefined && this.#servePages(this.#gate, http)) return undefined;
    const ssePath = this.#ssePathOf(request.path);
    const refusal = refuseAccess(http, ssePath === undefined ? this.rules : this.#pairRules);
    if (refusal !== undefined) return refuse(this, http, refusal);
    const origin = request.header('origin');
    if (typeof origin === 'string') http.headers = corsHeaders(this.#guard, origin);
    if (request.method === 'OPTIONS') {
      const wanted = request.header('access-control-request-headers');
      const { status, headers } = answerOptions(this.#guard, origin, wanted, this.rules.methods);
      return reply.send(status, headers);
    }
    // In sessions, calls that still run need the answers of their clients.
    if (this.draining && http.sessionId === undefined && ssePath !== 'post') return refuseWhileDraining(http);
    const auth = this.#auth;
    if (auth === undefined) return this.#route(http, ssePath, undefined);
    return void settle(
      () => auth(http.caller),
      (found) => this.#applyAccess(http, ssePath, found),
      (error) => failRequest(this, http, refusalOf(error)),
    );
  }

  async drain(ms: number): Promise<void> {
    this.draining = true;
    this.subscriptions.end();
    for (const session of this.sessions.all()) closeStream(this, session);
    const { cluster } = this;
    if (cluster !== undefined && this.sessions.areShared) this.handOver = new HandOver(this, cluster);
    const { log } = this.engine;
    const began = performance.now();
    const message = `The server accepts no more requests. Running calls: ${this.calls.running.size}`;
    log({ level: 'info', event: 'draining', message });
    await Promise.all([this.handOver?.run(ms), within(ms, this.calls.whenIdle())]);
    passOnAll(this);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    log({
      level: 'info',
      event: 'drained',
      message: `The server waited ${seconds} s for them. Running calls: ${this.calls.running.size}`,
    });
  }

  close(): void {
    this.draining = true;
    this.#unsubscribe();
    this.#missedChanges.close();
    this.subscriptions.end();
    this.#abandonCalls();
    this.#pair?.close();
    this.sessions.close();
    this.streams.ticker.close();
    this.cluster?.close();
  }

  #servePages(gate: Gatekeeper, http: HttpExchange): boolean {
    return servePages(gate, this.#guard, http, {
      failed: (error) => failRequest(this, http, error),
      refused: (status, cause) =>
        this.faults({
          level: 'error',
          event: 'page-refused',
          message: `A request for ${http.request.path} was refused with status ${status}`,
          details: cause,
        }),
    });
  }

  /** Which path of HTTP+SSE this is, if any: the two are siblings of the endpoint or, without a configured path, anywhere. */
  #ssePathOf(path: string): 'listen' | 'post' | undefined {
    if (this.#pair === undefined) return undefined;
    const endpoint = this.rules.path;
    const at = path.lastIndexOf('/') + 1;
    if (endpoint !== undefined && path.slice(0, at) !== endpoint.slice(0, endpoint.lastIndexOf('/') + 1))
      return undefined;
    const last = path.slice(at);
    return last === SSE_PATHS.listen ? 'listen' : last === SSE_PATHS.post ? 'post' : undefined;
  }

  /** Continues with the result of `auth`. */
  #applyAccess(http: HttpExchange, ssePath: 'listen' | 'post' | undefined, found: unknown): void {
    const access = readAccess(found);
    if ('principal' in access) return this.#route(http, ssePath, access.principal);
    return refuseCaller(this, http, access.denial, { check: 'caller', fault: access.fault });
  }

  #route(http: HttpExchange, ssePath: 'listen' | 'post' | undefined, principal: Principal | undefined): void {
    http.principal = principal;
    if (ssePath !== undefined) return this.#pair![ssePath](http);
    const { sessionId } = http;
    if (sessionId === undefined || !this.rules.sessions) return this.#serve(http);
    return void settle(
      () => this.sessions.find(sessionId, principal),
      (session) => {
        http.session = session;
        this.#serve(http);
      },
      (error) => {
        if (!isUnavailable(error)) return failRequest(this, http, error);
        // Only requests that need the session are refused.
        reportUnavailable(this.faults, error);
        http.sessionUnavailable = true;
        return this.#serve(http);
      },
    );
  }

  /** Serves an authenticated request. */
  #serve(http: HttpExchange): void {
    const refusal = refuseHead(http, this.rules);
    if (refusal !== undefined) return refuse(this, http, refusal);
    const { request, reply, session, headers } = http;
    switch (request.method) {
      case 'GET':
        return void serveGet(this, http, session!).catch((error: unknown) => {
          if (isUnavailable(error)) return failRequest(this, http, refusalOf(error));
          reportFailure('A stream', error, this.engine.log);
          if (!reply.closed) reply.destroy();
        });
      case 'DELETE':
        return void settle(
          () => this.sessions.end(session!),
          () => {
            this.cluster?.broadcast({ kind: 'session', session: session!.id, ended: true });
            reply.send(204, headers ?? {});
          },
          (error) => failRequest(this, http, error),
        );
      default:
        return request.body(this.engine.limits.bodyBytes, (text) => servePost(this, http, text));
    }
  }

  #answerModern(call: ServerCall): Maybe<MessageText | undefined> {
    return call.method === 'subscriptions/listen'
      ? this.subscriptions.open(call)
      : this.engine.answer(call.method, call.params, call);
  }

  /** Ends the calls that still run: their handlers are aborted, and their clients get an error. */
  #abandonCalls(): void {
    const error = new UnavailableError(
      'The server is shutting down: the call was stopped, and may have had effects',
      false,
    );
    for (const call of this.calls.running) {
      call.cancel(error.message);
      call.writer.finish(errorText(call.id, error.toJSON()), { code: error.code, error });
    }
  }

  #announce(change: Change): void {
    announce(this.engine, change, this.#watchersOf(change));
  }

  *#watchersOf(change: Change): Iterable<Watcher> {
    yield* this.subscriptions;
    // Usually most sessions do not watch what changed: no watchers are created for those.
    for (const session of this.sessions.all()) if (wantsChange(session, change)) yield watcherOf(this, session);
  }

  /** Handles a message of another node. */
  #handleNodeMessage(message: NodeMessage): void {
    if (message.kind === 'posted') return this.#pair?.take(message.session, message.owner, message.text);
    if (message.kind !== 'change') return handleSessionMessage(this, message as SessionMessage);
    // Nodes in the same process get changes from their common server.
    return message.server === nameOf(this.#app) ? undefined : this.#announce(message.change);
  }
}

/** Makes the handler of a server. Throws for unsafe or invalid options. */
export function createHttpHandler(
  app: Server,
  options: HttpOptions,
  guardOptions: Pick<GuardOptions, 'bound' | 'expose'> = {},
): HttpHandler {
  const endpoint = new HttpEndpoint(app, options, guardOptions);
  return options.onTrace === undefined ? endpoint : traced(endpoint, options.onTrace);
}

/** The same handler, reporting all messages. */
function traced(endpoint: HttpEndpoint, onTrace: NonNullable<HttpOptions['onTrace']>): HttpHandler {
  const { limits } = endpoint.engine;
  const { sessions } = endpoint.rules;
  const loaded = import('../trace/traced-handler.ts').then(({ createHttpTracer }) =>
    createHttpTracer({ onTrace, limits, sessions, shared: endpoint.cluster !== undefined }),
  );
  return {
    handle: (request, reply) => void loaded.then((trace) => endpoint.handle(...trace(request, reply))),
    drain: (ms) => endpoint.drain(ms),
    close: () => endpoint.close(),
  };
}

/**
 * Identifies a server value among the nodes of this process. Created when first needed: Workers have no random numbers before the first
 * request.
 */
const NAMES = new WeakMap<Server, string>();

function nameOf(app: Server): string {
  const name = NAMES.get(app) ?? crypto.randomUUID();
  NAMES.set(app, name);
  return name;
}
