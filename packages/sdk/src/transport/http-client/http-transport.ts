import type { Timer } from '../../client/clock.ts';
import type { ClientTransport, Receiver } from '../../client/client-transport.ts';
import type { ToolEntry } from '../../protocol/entities.ts';
import { ConnectionError, TimeoutError } from '../../protocol/errors.ts';
import {
  isObject,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
} from '../../protocol/jsonrpc.ts';
import { IdTable } from '../../protocol/id-table.ts';
import { isRevision, LEGACY, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { HEADER } from '../../wire/headers.ts';
import { parseText } from '../../wire/parse-text.ts';
import { type EncodedMeta, messageText } from '../../wire/encoded-meta.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { HttpSender, type HttpTransportOptions, type BareRequest } from './http-sender.ts';
import { PendingRequest, type RequestOwner } from './pending-request.ts';
import type { SessionStream } from './session-stream.ts';
import { claimedBy, MessageFields } from './message-fields.ts';
import { type AnswerHead, NOT_SENT } from './send.ts';
import type { AnswerEnd, UnreadableAnswer } from './read-answer.ts';
import { sendError, statusError, isRpcError, sessionGoneError } from './http-errors.ts';

type Message = Request | Notification | Response;

/** How long to wait for the session's stream before continuing without it, in milliseconds. */
const LISTEN_MS = 500;
/** The same if the server may send requests to this client: many servers lose those that they send before the stream is open. */
const LISTEN_FOR_REQUESTS_MS = 5_000;
/** How long the stream of a cancelled call is still read, in milliseconds. */
const LINGER_MS = 1_000;
/** Visible ASCII ("Session Management"). */
const SESSION_ID = /^[\x21-\x7e]+$/;
/** How long to wait for the answer to the DELETE of the session, in milliseconds. */
const DELETE_MS = 1_000;

/** A transport over Streamable HTTP: each message is a POST request, whose headers repeat parts of it. */
export class HttpTransport implements ClientTransport {
  readonly #sender: HttpSender;
  readonly #pending = new IdTable<PendingRequest>();
  /** End the messages without a response that the server has not accepted. */
  readonly #unaccepted = new Set<() => void>();
  readonly #fields = new MessageFields();
  #receiver!: Receiver;
  /** May the server send requests to this client? */
  #answersRequests = false;
  #closed = false;
  #sessionEnded = false;
  /** The session's stream, for messages that belong to no request. */
  #sessionStream: SessionStream | undefined;

  /** The status of the last answer to a POST. */
  status: number | undefined;

  /** Receives the events of requests. */
  readonly #owner: RequestOwner = {
    head: (pending, answer) => this.#head(pending, answer),
    body: (pending, body, status, type) => this.#body(pending, body, status, type),
    event: (pending, event) => this.#event(pending, event),
    end: (pending, ended) => this.#postEnded(pending, ended),
  };

  readonly perRequest = { learn: (tool: ToolEntry): string | undefined => this.#fields.learn(tool) };

  constructor(options: HttpTransportOptions) {
    this.#sender = new HttpSender({ ...options, pauseTimeouts: () => this.#receiver.pauseTimeouts() });
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  send(message: Message, meta?: EncodedMeta): void | Promise<void> {
    if (this.#closed) throw new ConnectionError('closed', 'The connection is closed');
    const text = messageText(message, meta);
    if ('method' in message && 'id' in message) {
      this.#request(message, meta?.revision ?? claimedBy(message.params), text);
      return undefined;
    }
    return this.#sendUnanswered(message as Notification | Response, text);
  }

  cancel(id: RequestId, reason: string): void | Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    // For a modern server, the end of the stream is the cancellation.
    if (pending.revision !== undefined) return this.#drop(pending);
    const sent = this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
    pending.answered = true;
    // The server may cancel its own requests of this call, on the stream of the call.
    const linger = (): void => {
      if (this.#closed) return this.#drop(pending);
      this.#sender.options.clock.clearTimeout(pending.timer);
      pending.timer = this.#sender.options.clock.setTimeout(() => this.#drop(pending), LINGER_MS);
    };
    return Promise.resolve(sent).finally(linger);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const pending of this.#pending.values()) this.#drop(pending);
    for (const end of [...this.#unaccepted]) end();
    this.#sessionStream?.stop();
    if (this.#fields.session !== undefined && !this.#sessionEnded) await this.#deleteSession();
  }

  /** Tells the server that the session has ended. */
  async #deleteSession(): Promise<void> {
    const { clock } = this.#sender.options;
    let timer: Timer;
    let sent = NOT_SENT;
    await new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, DELETE_MS);
      sent = this.#sender.send(
        { method: 'DELETE', fields: this.#fields.forSession() },
        { head() {}, body() {}, event() {}, end: () => resolve() },
      );
    });
    clock.clearTimeout(timer);
    sent.abort();
  }

  #request(message: Request, claimed: Revision | undefined, text: string): void {
    const initializes = claimed === undefined && message.method === 'initialize';
    const request = this.#post(message, claimed, text);
    const pending = new PendingRequest(message.id, claimed, initializes, this.#fields.session, this.#owner);
    this.#pending.add(pending);
    if (initializes) this.#answersRequests = declaresClientFeatures(message.params?.['capabilities']);
    pending.sent = this.#sender.send(request, pending);
  }

  #post(message: Message, claimed: Revision | undefined, body: string): BareRequest {
    return { method: 'POST', fields: this.#fields.forPost(message, claimed), body };
  }

  /** Sends a message that gets no response. Resolves when the server has accepted it. `isLast`: it is not sent again if it is lost. */
  #sendUnanswered(message: Notification | Response, text: string, isLast = !isRepeatable(message)): Promise<void> {
    return new Promise((resolve, reject) => {
      const { session } = this.#fields;
      const { clock, timeout } = this.#sender.options;
      const claimed = 'method' in message ? claimedBy(message.params) : undefined;
      let failure: ConnectionError | undefined;
      let sent = NOT_SENT;
      const abandon = (): void => {
        ended();
        sent.abort();
        resolve();
      };
      const timer = clock.setTimeout(() => {
        ended();
        sent.abort();
        reject(new TimeoutError('request-timeout', `The server did not accept a message for ${timeout} ms`));
      }, timeout);
      const ended = (): void => {
        clock.clearTimeout(timer);
        this.#unaccepted.delete(abandon);
      };
      this.#unaccepted.add(abandon);
      sent = this.#sender.send(this.#post(message, claimed, text), {
        head: (answer) => {
          if (answer.status >= 300) failure = this.#statusError(answer, undefined, session);
        },
        body() {},
        event: (event) => this.#event(undefined, event),
        end: ({ error, delivered }) => {
          ended();
          if (error !== undefined && !this.#closed) {
            if (delivered && !isLast) return resolve(this.#sendUnanswered(message, text, true));
            return reject(sendError(error, delivered));
          }
          if (failure !== undefined) return reject(failure);
          const begins = 'method' in message && message.method === 'notifications/initialized';
          return resolve(begins ? this.#openSessionStream() : undefined);
        },
      });
    });
  }

  /** Opens the session's stream. Many servers lose messages that they send on it before it is open, so calls wait for it. */
  async #openSessionStream(): Promise<void> {
    // Loaded on demand: only sessions need it.
    const { SessionStream } = await import('./session-stream.ts');
    if (this.#closed || this.#sessionEnded) return undefined;
    this.#sessionStream ??= new SessionStream(this.#sender, {
      fields: (message) =>
        message === undefined ? this.#fields.forSession() : this.#fields.forPost(message, undefined),
      take: (event) => this.#event(undefined, event),
      gone: () => this.#endSession(this.#fields.session, sessionGoneError()),
    });
    const requests = this.#answersRequests && this.#fields.session !== undefined;
    return this.#sessionStream.open(requests ? LISTEN_FOR_REQUESTS_MS : LISTEN_MS);
  }

  #head(pending: PendingRequest, answer: AnswerHead): void {
    const { status } = answer;
    this.status = status;
    pending.answer = answer;
    if (!pending.initializes || status >= 300) return;
    const id = answer.header(HEADER.session);
    this.#fields.session = id !== undefined && SESSION_ID.test(id) ? id : undefined;
  }

  #body(pending: PendingRequest, body: string | UnreadableAnswer, status: number, type: string): void {
    if (pending.answered) return;
    const { session } = pending;
    const text = typeof body === 'string' ? body : '';
    const error = status >= 300 ? text : undefined;
    const answer = pending.answer!;
    if (error !== undefined && !isRpcError(text, answer, session !== undefined, this.#sender.options.limits))
      return this.#fail(pending, this.#statusError(answer, text, session));
    if (error === undefined && (status === 202 || status === 204 || type !== 'application/json'))
      return this.#fail(
        pending,
        new ConnectionError(
          'not-mcp',
          `The server answered a request with status ${status} and ${type === '' ? 'no content type' : shown(type, 60)}: ${text.includes('"jsonrpc"') ? 'an MCP answer needs application/json' : 'that is not an MCP answer'}`,
          { status, processed: 'unknown' },
        ),
      );
    if (typeof body !== 'string')
      return this.#fail(
        pending,
        new ConnectionError('not-mcp', `The answer ${body.problem}`, { status, processed: 'unknown' }),
      );
    const problem = this.#deliver(text, pending, error !== undefined);
    if (pending.answered) return;
    const message =
      problem === undefined
        ? 'The body of the answer does not answer the request'
        : `The answer cannot be read: ${problem}`;
    this.#fail(pending, new ConnectionError('not-mcp', message, { status, processed: 'unknown' }));
  }

  /** The error for a status. If the server has forgotten the session, the connection ends, and the next one begins a new session. */
  #statusError(answer: AnswerHead, text: string | undefined, session: string | undefined): ConnectionError {
    if (answer.status !== 404 || session === undefined) return statusError(answer, text, this.#sender.options.limits);
    const error = sessionGoneError();
    // The request itself fails first.
    queueMicrotask(() => this.#endSession(session, error));
    return error;
  }

  #endSession(session: string | undefined, error: ConnectionError): void {
    if (session === undefined || this.#sessionEnded || this.#fields.session !== session) return;
    this.#sessionEnded = true;
    this.#sessionStream?.stop();
    this.#receiver.end(error);
  }

  /** Only events of the default type are messages. */
  #event(pending: PendingRequest | undefined, { kind, event, data }: SseEvent): void {
    if (kind === 'message' && event === 'message') this.#deliver(data, pending);
    else if (kind === 'invalid') this.#receiver.problem('An event of the stream is not valid UTF-8');
  }

  /**
   * Delivers a text. In the answer to a request, an error response without an id belongs to that request; if the status is an error, so does one
   * with an unknown id, which some servers make up. Returns why the text cannot be read.
   */
  #deliver(text: string, pending: PendingRequest | undefined, isRefused = false): string | undefined {
    const parsed = parseText(text, this.#sender.options.limits);
    if ('problem' in parsed) {
      this.#receiver.problem(parsed.problem, text);
      return parsed.problem;
    }
    let { value } = parsed;
    if (isObject(value) && pending !== undefined) {
      const { id } = value;
      const matchesNone = id == null || (isRefused && this.#pendingOf(id) === undefined);
      if (isObject(value['error']) && matchesNone && !Object.hasOwn(value, 'method'))
        value = { ...value, id: pending.id };
      if (pending.initializes) this.#readRevision(value as JsonObject);
    }
    if (Array.isArray(value)) for (const item of value) this.#markAnswered(item);
    else this.#markAnswered(value);
    this.#receiver.value(value, parsed.deep);
    return undefined;
  }

  /** After the response to a request, nothing more is expected on its stream. An id as text is an answer, too: a wrong one. */
  #markAnswered(value: unknown): void {
    if (!isObject(value) || value['method'] !== undefined) return;
    const pending = this.#pendingOf(value['id']);
    if (pending === undefined) return;
    pending.answered = true;
    this.#pending.delete(pending);
  }

  #pendingOf(id: unknown): PendingRequest | undefined {
    return this.#pending.get(id) ?? this.#pending.get(typeof id === 'string' ? Number(id) : NaN);
  }

  #readRevision({ result }: JsonObject): void {
    const version = isObject(result) ? result['protocolVersion'] : undefined;
    if (isRevision(version) && LEGACY.includes(version)) this.#fields.revision = version;
  }

  #postEnded(pending: PendingRequest, ended: AnswerEnd): void {
    const { error, delivered, status } = ended;
    if (this.#closed || this.#pending.get(pending.id) !== pending) return;
    if (pending.answered) return this.#drop(pending);
    const resumable = pending.revision === undefined && pending.lastId !== '' && !pending.initializes;
    if (!resumable)
      return this.#fail(
        pending,
        error === undefined
          ? new ConnectionError('answer-lost', 'The answer ended before the result came', {
              processed: 'unknown',
              status,
            })
          : sendError(error, delivered),
      );
    return void this.#resume(pending, ended);
  }

  /** Resumes the stream of a request. */
  async #resume(pending: PendingRequest, ended: AnswerEnd): Promise<void> {
    // Loaded on demand: only sessions need it.
    const { resumeLater } = await import('./resume-stream.ts');
    const isPending = (): boolean => !pending.answered && this.#pending.get(pending.id) === pending;
    if (!isPending()) return;
    resumeLater(this.#sender, pending, ended, {
      fields: () => this.#fields.forSession(),
      isPending,
      take: (event) => pending.event(event),
      ended: (ended) => this.#postEnded(pending, ended),
      fail: (error) => this.#fail(pending, error),
    });
  }

  #fail(pending: PendingRequest, error: ConnectionError): void {
    pending.answered = true;
    this.#pending.delete(pending);
    this.#receiver.failed(pending.id, error);
  }

  #drop(pending: PendingRequest): void {
    pending.answered = true;
    this.#pending.delete(pending);
    this.#sender.options.clock.clearTimeout(pending.timer);
    pending.sent.abort();
  }
}

/** Notifications that have the same effect when they arrive twice. */
const REPEATABLE: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/roots/list_changed',
]);

/** May this message be sent again although it may have arrived? A server ignores the second response to one request. */
function isRepeatable(message: Notification | Response): boolean {
  return !('method' in message) || REPEATABLE.has(message.method);
}

/** May a server send requests to a client with these capabilities? */
function declaresClientFeatures(capabilities: unknown): boolean {
  return isObject(capabilities) && ['elicitation', 'sampling', 'roots'].some((name) => capabilities[name] != null);
}
