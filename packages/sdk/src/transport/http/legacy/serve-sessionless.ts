import type { ClientCapabilities, ServerCapabilities } from '../../../protocol/capabilities.ts';
import { CODE, ProtocolError, ToolError } from '../../../protocol/errors.ts';
import type { MessageText } from '../../../protocol/message-text.ts';
import type { Principal } from '../../../protocol/request-context.ts';
import type { JsonObject } from '../../../protocol/jsonrpc.ts';
import type { Maybe } from '../../../protocol/maybe.ts';
import { isRevision, type Revision } from '../../../protocol/revision.ts';
import type { Engine } from '../../../server/engine.ts';
import { encodeServerCapabilities } from '../../../wire/capabilities.ts';
import { ASSUMED_REVISION } from '../../../wire/headers.ts';
import { type BatchOutput, serveBatch } from '../../serving/batch.ts';
import type { IncomingNotification, IncomingRequest } from '../../serving/message.ts';
import { handleNotification } from '../../serving/notification-handlers.ts';
import { type Caller, type ResponseWriter, ServerCall } from '../../serving/server-call.ts';
import { serveCall } from '../../serving/serve-call.ts';
import { SESSION_METHODS } from '../../serving/session-methods.ts';
import { PostResponse } from '../post-response.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { Endpoint } from '../endpoint.ts';

/** The capabilities of a server for legacy clients without a session: no notifications of changes, no log level. */
export function sessionlessCapabilities(engine: Engine, revision: Revision): JsonObject {
  const { tools, resources, prompts, completions, tasks, experimental, extensions } = engine.capabilities();
  const capabilities: ServerCapabilities = {
    tools: tools === undefined ? undefined : {},
    resources: resources === undefined ? undefined : {},
    prompts: prompts === undefined ? undefined : {},
    completions,
    tasks,
    experimental,
    extensions,
  };
  return encodeServerCapabilities(capabilities, revision);
}

/** The text of the result of a legacy request outside a session. */
export function answerSessionless(engine: Engine, call: ServerCall): Maybe<MessageText> {
  const { method } = call;
  if (method === 'ping') return '{}';
  if (SESSION_METHODS.has(method))
    throw new ProtocolError(CODE.methodNotFound, `${method} needs a session, and this server has none`);
  return engine.answer(method, call.params, call);
}

/** Never called by handlers, because the client declared no capabilities. The presence of `request` makes a call legacy. */
function rejectQuestion(method: string): Promise<never> {
  return Promise.reject(new ToolError(`${method} needs a session, and this server has none`));
}

const reported = new WeakSet<Endpoint>();

/** Reports once that log messages of handlers are not sent. */
function reportUnsentLogs(endpoint: Endpoint): void {
  if (reported.has(endpoint)) return;
  reported.add(endpoint);
  endpoint.engine.log({
    level: 'warn',
    event: 'log-not-sent',
    message:
      'Log messages of calls are not sent to clients of revisions before 2026-07-28, because `sessions` is false: without a session they cannot set a log level',
  });
}

const NO_CAPABILITIES: ClientCapabilities = {};

/** The sender of a legacy request without sessions: earlier messages of its client are not known. */
class SessionlessCaller implements Caller {
  readonly revision: Revision;
  readonly capabilities = NO_CAPABILITIES;
  readonly client = undefined;
  readonly principal: Principal | undefined;
  readonly sendRequest = rejectQuestion;
  readonly #endpoint: Endpoint;
  readonly #http: HttpExchange;

  constructor(endpoint: Endpoint, http: HttpExchange) {
    this.revision = (http.version as Revision | undefined) ?? ASSUMED_REVISION;
    this.principal = http.principal;
    this.#endpoint = endpoint;
    this.#http = http;
  }

  get quotaKey(): string | undefined {
    return this.#http.quotaKey;
  }

  /**
   * Read when a handler logs. A server that sends log messages has to declare `logging`, and could not remember the level that clients set.
   */
  get logLevel(): undefined {
    reportUnsentLogs(this.#endpoint);
    return undefined;
  }
}

/** Runs the server's own handler of a notification. The sender is not known, and nothing can be sent back. */
function takeNotification({ engine, calls }: Endpoint, http: HttpExchange, message: IncomingNotification): void {
  const { version, principal, quotaKey, request } = http;
  const revision = version !== undefined && isRevision(version) ? version : ASSUMED_REVISION;
  const caller: Caller = {
    revision,
    capabilities: NO_CAPABILITIES,
    client: undefined,
    principal,
    quotaKey,
    logLevel: undefined,
  };
  const writer = { send() {}, finish() {}, drop() {}, wait() {} };
  handleNotification(engine, message, new ServerCall({ ...message, id: '' }, caller, writer, request.header), calls);
}

/**
 * Serves messages of legacy clients without sessions. Handlers cannot ask the client. A lost connection cancels nothing (2025-11-25,
 * "Sending Messages to the Server").
 */
export function serveSessionless(endpoint: Endpoint, http: HttpExchange): void {
  const { body } = http;
  const response = new PostResponse(http, endpoint.streams);
  const caller = new SessionlessCaller(endpoint, http);
  const request = (message: IncomingRequest, writer: ResponseWriter): void =>
    serveCall(endpoint.sessionless, new ServerCall(message, caller, writer, http.request.header));
  if (body.kind === 'request') return request(body, response);
  if (body.kind === 'notification') takeNotification(endpoint, http, body);
  if (body.kind !== 'batch') return response.accept();
  const output: BatchOutput = {
    single: true,
    send: (text) => response.send(text),
    sendAnswers: (text) => response.finish(text),
    end: () => response.accept(),
    wait: (call) => response.wait(call),
  };
  return serveBatch(body.messages, output, { request, other() {} });
}
