import { CODE } from '../../protocol/errors.ts';
import { type Notification, type Request, type Response, sortMessage } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import { featuresOf, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { complete } from '../../wire/encode.ts';
import { errorText, responseText } from '../../wire/text.ts';
import { RunningCall } from '../connection/calls.ts';
import { failureText } from '../connection/failure.ts';
import { agreement, greeting, SESSION_METHODS } from '../connection/initialize.ts';
import { CallStream } from './call-stream.ts';
import type { Endpoint, Visit } from './endpoint.ts';
import { EventLog } from './event-log.ts';
import { type Batch, isExactId } from './facts.ts';
import type { HttpSession } from './http-session.ts';
import { type Headers, JSON_TYPE } from './message.ts';
import { overload, sendError } from './refuse.ts';
import { HEADER } from '../../wire/headers.ts';

const accept = ({ reply, headers }: Visit): void => reply.send(202, headers ?? NONE);

const NONE: Headers = {};

/** Can a client of this revision read an event that only says an id, and come back for the rest of a stream? */
export const knowsPriming = (revision: Revision): boolean => featuresOf(revision).polling;

/** Begins a session, and answers `initialize`. */
export const initialize = (endpoint: Endpoint, { reply, headers, principal }: Visit, message: Request): void => {
  const { engine, sessions, lookup } = endpoint;
  const fail = (error: unknown): void =>
    sendError(reply, 400, { code: CODE.internalError, message: String(error) }, headers, message.id);
  let agreed: ReturnType<typeof agreement>;
  let text: string;
  try {
    agreed = agreement(engine, message.params ?? {});
    const said = greeting(engine, agreed.revision, lookup.sessions);
    text = responseText(message.id, JSON.stringify(complete(said, agreed.revision, {})));
  } catch (error) {
    // Errors of a legacy method are answers like any other.
    return reply.send(200, { ...JSON_TYPE, ...headers }, failureText(engine, message, error));
  }
  if (!lookup.sessions) return reply.send(200, { ...JSON_TYPE, ...headers }, text);
  void settle(
    () => sessions.begin(agreed, principal),
    (session) => {
      if (session !== undefined)
        return reply.send(200, { ...JSON_TYPE, ...headers, [HEADER.session]: session.id }, text);
      endpoint.faults({
        level: 'warn',
        event: 'too-many-sessions',
        message: 'A session was refused: there are too many',
      });
      const error = { code: CODE.internalError, message: 'Too many sessions: try again later' };
      return sendError(reply, 503, error, { ...headers, 'retry-after': '30' }, message.id);
    },
    fail,
  );
};

/** Serves what a client sends in its session. */
export const serveInSession = (
  endpoint: Endpoint,
  visit: Visit,
  session: HttpSession,
  message: Request | Notification | Response | Batch,
): void => {
  if ('kind' in message) return serveBatch(endpoint, visit, session, message.items);
  if (!('method' in message)) {
    takeResponse(endpoint, session, message);
    return accept(visit);
  }
  if (!('id' in message)) {
    takeNotification(endpoint, session, message);
    return accept(visit);
  }
  if (session.running?.has(message.id)) {
    const error = {
      code: CODE.invalidRequest,
      message: `The id ${shown(message.id)} is in use by a request that is not answered yet`,
    };
    return sendError(visit.reply, 409, error, visit.headers, message.id);
  }
  const stream = openStream(endpoint, visit, session);
  const finish = (text: string | undefined): void => (text === undefined ? stream.drop() : stream.finish(text));
  if (!run(endpoint, visit, session, message, stream, finish)) keep(session, stream);
};

const openStream = ({ events, around }: Endpoint, { reply, headers }: Visit, session: HttpSession): CallStream =>
  new CallStream(reply, {
    log: new EventLog(events, session.id, 'call'),
    around,
    headers,
    priming: knowsPriming(session.agreed.revision),
    onEnd: (stream) => void session.streams?.delete(stream),
  });

/** An answer that is not complete yet can be found when its client comes back for it. */
const keep = (session: HttpSession, stream: CallStream): void => {
  if (stream.broken) return;
  stream.wait();
  (session.streams ??= new Set()).add(stream);
};

/** Runs a request. True when it is answered already. */
const run = (
  endpoint: Endpoint,
  { principal }: Visit,
  session: HttpSession,
  message: Request,
  stream: CallStream,
  finish: (text: string | undefined) => void,
): boolean => {
  const { engine } = endpoint;
  const { agreed } = session;
  const running = (session.running ??= new Map());
  if (running.size >= engine.limits.inFlight) {
    const problem = `Too many requests at once: the limit is ${engine.limits.inFlight}`;
    finish(errorText(message.id, { code: CODE.internalError, message: problem }));
    return true;
  }
  const busy = overload(endpoint);
  if (busy !== undefined) {
    finish(errorText(message.id, busy));
    return true;
  }
  const call = new RunningCall(message, agreed.callerFor(principal), stream);
  const over = (text: string): void => {
    call.end();
    if (running.get(message.id) === call) running.delete(message.id);
    // Whoever cancelled hears nothing more (Cancellation, Behavior Requirements).
    finish(call.cancelled ? undefined : text);
  };
  const done = (text: string): void => over(responseText(message.id, text));
  const failed = (error: unknown): void => over(failureText(engine, message, error, agreed.revision));
  let result: Maybe<string>;
  try {
    result = answerOf(endpoint, session, message, call);
  } catch (error) {
    failed(error);
    return true;
  }
  if (typeof result === 'string') {
    done(result);
    return true;
  }
  running.set(message.id, call);
  endpoint.load.running++;
  void result.then(done, failed).then(() => endpoint.load.running--);
  return false;
};

const answerOf = (
  { engine, sessions }: Endpoint,
  session: HttpSession,
  { method, params = {} }: Request,
  call: RunningCall,
): Maybe<string> => {
  const change = SESSION_METHODS.get(method);
  if (change === undefined || !engine.has(method, call.revision)) return engine.answer(method, params, call);
  const act = (): Maybe<void> => change(session.agreed, engine, params, call);
  return andThen(method === 'ping' ? undefined : sessions.change(session, act), () => '{}');
};

/** Runs a request, and hands over the text of its answer; undefined when there is to be none. */
export type RunOne = (message: Request, take: (text: string | undefined) => void) => void;

/** What becomes of the parts of a batch. */
export interface BatchParts {
  readonly inUse: (id: Request['id']) => boolean;
  readonly request: RunOne;
  readonly other: (message: Notification | Response) => void;
  /** All is answered; nothing, when nothing was asked. */
  readonly done: (text: string | undefined, asked: number) => void;
}

/** Takes a batch apart. The answers are gathered in one array (2025-03-26, "Sending Messages to the Server"). */
export const eachOf = (items: readonly unknown[], { inUse, request, other, done }: BatchParts): void => {
  const answers: string[] = [];
  let open = 1;
  let asked = 0;
  const close = (): void => {
    if (--open === 0) done(answers.length === 0 ? undefined : `[${answers.join()}]`, asked);
  };
  const take = (text: string | undefined): void => {
    if (text !== undefined) answers.push(text);
    close();
  };
  for (const item of items) {
    const sorted = sortMessage(item);
    if (sorted.kind === 'response' || sorted.kind === 'notification') {
      other(sorted.message);
      continue;
    }
    asked++;
    open++;
    const problem = problemOf(sorted, inUse);
    if (problem === undefined) request((sorted as { message: Request }).message, take);
    else take(errorText(problem.id, { code: CODE.invalidRequest, message: problem.message }));
  }
  close();
};

const serveBatch = (endpoint: Endpoint, visit: Visit, session: HttpSession, items: readonly unknown[]): void => {
  const stream = openStream(endpoint, visit, session);
  let answered = false;
  eachOf(items, {
    inUse: (id) => session.running?.has(id) === true,
    request: (message, take) => void run(endpoint, visit, session, message, stream, take),
    other: (message) =>
      'method' in message ? takeNotification(endpoint, session, message) : takeResponse(endpoint, session, message),
    done(text, asked) {
      answered = true;
      if (text !== undefined) stream.finish(text);
      else if (asked > 0) stream.drop();
      else accept(visit);
    },
  });
  if (!answered) keep(session, stream);
};

const problemOf = (
  sorted: Exclude<ReturnType<typeof sortMessage>, { kind: 'response' | 'notification' }>,
  inUse: (id: Request['id']) => boolean,
): { readonly id: Request['id'] | undefined; readonly message: string } | undefined => {
  if (sorted.kind === 'invalid') return { id: sorted.id, message: sorted.reason };
  const { id } = sorted.message;
  if (!isExactId(id)) return { id: undefined, message: '"id" must be a text, or an integer within ±(2^53 − 1)' };
  return inUse(id) ? { id, message: `The id ${shown(id)} is in use by a request that is not answered yet` } : undefined;
};

/** The name of the node that asked is in the id of its request. */
const askedBy = (id: Response['id']): string | undefined =>
  typeof id === 'string' ? /^([0-9a-f-]{36}):\d+$/.exec(id)?.[1] : undefined;

const takeResponse = ({ cluster, faults }: Endpoint, session: HttpSession, response: Response): void => {
  if (session.agreed.settle(response)) return;
  const node = askedBy(response.id);
  if (cluster !== undefined && node !== undefined && node !== cluster.node)
    return cluster.tell(node, { kind: 'response', session: session.id, response });
  faults({
    level: 'warn',
    event: 'stray-response',
    message: `A response nobody waits for: ${shown(response.id)}`,
  });
};

const takeNotification = (
  { cluster, sessions, engine }: Endpoint,
  session: HttpSession,
  message: Notification,
): void => {
  const { method, params } = message;
  if (method === 'notifications/initialized') {
    void settle(
      () => sessions.change(session, () => session.agreed.markInitialized()),
      () => cluster?.tellAll({ kind: 'session', session: session.id, ended: false }),
      (error) =>
        engine.log({ level: 'error', event: 'store-failed', message: 'A session could not be kept', details: error }),
    );
  } else if (method === 'notifications/cancelled') {
    const id = params?.['requestId'] as Request['id'];
    if (cancelCall(session, id, params?.['reason'])) return;
    cluster?.tellAll({ kind: 'cancelled', session: session.id, id, reason: params?.['reason'] });
  }
};

/** Cancels a call of a session; tells whether it runs here. */
export const cancelCall = (session: HttpSession, id: Request['id'], reason: unknown): boolean => {
  const call = session.running?.get(id);
  call?.cancel(typeof reason === 'string' ? reason : 'The client cancelled the request');
  return call !== undefined;
};
