import { CODE } from '../../../protocol/errors.ts';
import type { MessageText } from '../../../protocol/message-text.ts';
import type { Principal } from '../../../protocol/request-context.ts';
import type { RequestId, Response } from '../../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../../protocol/maybe.ts';
import { featuresOf } from '../../../protocol/revision.ts';
import { shown } from '../../../protocol/text.ts';
import { UnorderedList } from '../../../protocol/unordered-list.ts';
import { HEADER } from '../../../wire/headers.ts';
import { responseText } from '../../../wire/text.ts';
import { type BatchOutput, serveBatch } from '../../serving/batch.ts';
import { CallTracker } from '../../serving/call-tracker.ts';
import { failureText } from '../../serving/error-texts.ts';
import { encodedCapabilities } from '../../../server/create-engine.ts';
import { initializeResult, negotiate } from '../../serving/initialize.ts';
import type { IncomingNotification, IncomingRequest, IncomingResponse } from '../../serving/message.ts';
import { type Caller, type ResponseWriter, ServerCall } from '../../serving/server-call.ts';
import { handleNotification } from '../../serving/notification-handlers.ts';
import { serveCall } from '../../serving/serve-call.ts';
import { answerInSession } from '../../serving/session-methods.ts';
import type { Agreement, Session } from '../../serving/session.ts';
import { ResumableResponse } from './resumable-response.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';
import { EventLog } from './event-log.ts';
import type { HttpSession } from './http-session.ts';
import { type Headers, JSON_TYPE } from '../http-message.ts';
import { failRequest, refuseUndelivered } from '../refuse.ts';
import { sendError } from '../send-error.ts';
import { sessionlessCapabilities } from './serve-sessionless.ts';

/** Answers `initialize`, and begins a session unless sessions are switched off. */
export function initialize(endpoint: Endpoint, http: HttpExchange, message: IncomingRequest): void {
  const { engine, sessions, rules } = endpoint;
  const { reply, headers } = http;
  const answer = (text: MessageText, more?: Headers): void =>
    reply.send(200, { ...JSON_TYPE, ...headers, ...more }, text);
  let agreement: Agreement;
  let text: MessageText;
  try {
    agreement = negotiate(engine, message.params);
    const { revision } = agreement;
    const capabilities = rules.sessions
      ? encodedCapabilities(engine, revision, http.principal)
      : sessionlessCapabilities(engine, revision);
    text = responseText(message.id, initializeResult(engine, revision, capabilities));
  } catch (error) {
    // In the legacy era, errors of methods are sent with status 200.
    return answer(failureText(engine, message, error));
  }
  if (!rules.sessions) return answer(text);
  return void settle(
    () => sessions.begin(agreement, http),
    (session) => {
      if (session !== undefined) return answer(text, { [HEADER.session]: session.id });
      endpoint.faults({
        level: 'warn',
        event: 'too-many-sessions',
        message: 'A session was refused: there are too many, and all are in use',
      });
      const error = { code: CODE.internalError, message: 'Too many sessions: try again later' };
      return sendError(reply, 503, error, { ...headers, 'retry-after': '30' }, message.id);
    },
    (error) => failRequest(endpoint, http, error),
  );
}

/** Serves the messages that a client sends in its session. */
export function serveInSession(endpoint: Endpoint, http: HttpExchange, session: HttpSession): void {
  const { body, reply, headers, principal } = http;
  const other = (message: IncomingNotification | IncomingResponse): void => {
    if (message.kind === 'response') return void handleResponse(endpoint, session, message);
    const report = (details: unknown): void =>
      endpoint.faults({ level: 'error', event: 'store-failed', message: 'A session could not be stored', details });
    // The next request of the session at this node stores it.
    return void settle(
      () => takeNotification(endpoint, session, message),
      () => {},
      report,
    );
  };
  if (body.kind === 'response')
    return void andThen(handleResponse(endpoint, session, body), (isTaken) =>
      isTaken ? reply.send(202, headers ?? {}) : refuseUndelivered(http),
    );
  if (body.kind === 'notification')
    return void settle(
      () => takeNotification(endpoint, session, body),
      () => reply.send(202, headers ?? {}),
      (error) => failRequest(endpoint, http, error),
    );
  const caller = callerOf(session.agreed, principal);
  const callService = (session.callService ??= createCallService(endpoint, session));
  const response = openResponse(endpoint, http, session);
  const request = (message: IncomingRequest, writer: ResponseWriter): void =>
    serveCall(callService, new ServerCall(message, caller, writer, http.request.header));
  if (body.kind === 'request') return request(body, response);
  // Invalid messages have been refused before.
  if (body.kind !== 'batch') return undefined;
  const output: BatchOutput = {
    single: true,
    send: (text) => response.send(text),
    sendAnswers: (text) => response.finish(text),
    end: () => response.drop(),
    wait: () => response.wait(),
  };
  return serveBatch(body.messages, output, { request, other });
}

/** The caller of the requests with this principal: the client may have got another token since the session began. */
function callerOf(session: Session, principal: Principal | undefined): Caller {
  if (principal === undefined) return session;
  return {
    revision: session.revision,
    capabilities: session.capabilities,
    client: session.client,
    principal,
    quotaKey: session.quotaKey,
    session: session.outside,
    get logLevel() {
      return session.level;
    },
    sendRequest: (method, params, signal, writer) => session.sendRequest(method, params, signal, writer),
  };
}

function createCallService(
  { engine, calls, sessions, cluster }: Endpoint,
  session: HttpSession,
): NonNullable<HttpSession['callService']> {
  return {
    engine,
    calls: new CallTracker(engine.limits.inFlight, { ofOnePeer: true, all: calls }),
    answer: (call) =>
      answerInSession(engine, session.agreed, call, (act) => changeEverywhere({ sessions, cluster }, session, act)),
  };
}

/** Changes what was agreed in a session, and tells the other nodes: the client may listen at one of them. */
function changeEverywhere(
  { sessions, cluster }: Pick<Endpoint, 'sessions' | 'cluster'>,
  session: HttpSession,
  act: () => Maybe<void>,
): Maybe<void> {
  return andThen(sessions.change(session, act), () =>
    cluster?.broadcast({ kind: 'session', session: session.id, ended: false }),
  );
}

function openResponse(
  { events, streams }: Endpoint,
  { reply, headers, id }: HttpExchange,
  session: HttpSession,
): ResumableResponse {
  return new ResumableResponse(reply, {
    id,
    createLog: () => new EventLog(events, session.id, 'call'),
    context: streams,
    headers,
    priming: featuresOf(session.agreed.revision).polling,
    open: (session.responses ??= new UnorderedList()),
  });
}

/** The id of a request contains the name of the node that sent it. */
function nodeOfRequest(id: Response['id']): string | undefined {
  return typeof id === 'string' ? /^([0-9a-f-]{36}):\d+$/.exec(id)?.[1] : undefined;
}

/** Passes a response to the call that waits for it. Returns false if that runs on another node, which cannot be reached. */
function handleResponse(
  { cluster, faults }: Endpoint,
  session: HttpSession,
  { response }: IncomingResponse,
): Maybe<boolean> {
  if (session.agreed.settle(response)) return true;
  const node = nodeOfRequest(response.id);
  if (cluster !== undefined && node !== undefined && node !== cluster.node)
    return cluster.send(node, { kind: 'response', session: session.id, response });
  faults({
    level: 'warn',
    event: 'stray-response',
    message: `A response to no open request: ${shown(response.id)}`,
  });
  return true;
}

/** Rejects if the session could not be stored: another node would not know that its client is initialized. */
function takeNotification(
  { cluster, sessions, engine }: Endpoint,
  session: HttpSession,
  message: IncomingNotification,
): Maybe<void> {
  const { method, params } = message;
  const handle = (): void => handleNotification(engine, message, session.agreed.outside.call);
  if (method === 'notifications/initialized') {
    // If it could not be stored the first time, that was made up for when this session was looked up.
    if (session.agreed.initialized) return undefined;
    try {
      return changeEverywhere({ sessions, cluster }, session, () => void session.agreed.markInitialized());
    } finally {
      handle();
    }
  }
  if (method === 'notifications/cancelled') {
    const id = params['requestId'] as RequestId;
    if (cancelCall(session, id, params['reason'])) return undefined;
    return cluster?.broadcast({ kind: 'cancelled', session: session.id, id, reason: params['reason'] });
  }
  return handle();
}

/** Cancels a call of a session; returns whether it runs on this node. */
export function cancelCall({ callService }: HttpSession, id: RequestId, reason: unknown): boolean {
  return callService?.calls.cancel(id, reason) === true;
}
