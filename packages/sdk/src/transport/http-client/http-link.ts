import type { Timer } from '../../client/clock.ts';
import type { Link, Receiver } from '../../client/link.ts';
import type { ToolEntry } from '../../protocol/entities.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import {
  isObject,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
} from '../../protocol/jsonrpc.ts';
import { META, metaOf } from '../../protocol/meta.ts';
import { isRevision, LEGACY, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { HEADER, standardHeaders } from '../../wire/headers.ts';
import { encodeJson } from '../../wire/json.ts';
import { parseText } from '../../wire/parse-text.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { type MirroredParam, mirroredParams, paramHeaders } from '../../wire/param-headers.ts';
import { type Fields, fly, type HttpLinkOptions } from './fly.ts';
import { GET_FIELDS, isRefusal, Listening, MOST_WAIT_MS } from './listening.ts';
import type { Ended } from './read-answer.ts';
import { broken, refused, saysMore, sessionGone } from './refusal.ts';

type Message = Request | Notification | Response;

/** One request on its way. */
interface Underway {
  readonly id: RequestId;
  readonly revision: Revision | undefined;
  readonly initializes: boolean;
  answered: boolean;
  abort(): void;
  /** The last event id its stream has said. */
  lastId: string;
  timer: Timer;
  /** How often its stream was lost without anything new. */
  lost: number;
  /** What the server wants to know of its sender first. */
  challenge: string | undefined;
}

const POST_FIELDS: Fields = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** So often a stream that brings nothing new is resumed. */
const MOST_LOST = 5;
/** Until the server says how long to wait, in milliseconds. */
const RESUME_MS = 1_000;
/** How long a server may take to open the stream for notifications until the client goes on without, in milliseconds. */
const LISTEN_MS = 500;
/** How long the stream of a call that was cancelled is still read, in milliseconds. */
const LINGER_MS = 1_000;
/** How long taking leave may take, in milliseconds. */
const FAREWELL_MS = 1_000;

/** Messages travel by Streamable HTTP: each in a POST of its own. The link sees in them what their headers have to say. */
export class HttpLink implements Link {
  readonly #options: HttpLinkOptions;
  readonly #flights = new Map<RequestId, Underway>();
  readonly #mirrored = new Map<string, readonly MirroredParam[]>();
  #receiver!: Receiver;
  #session: string | undefined;
  /** What `initialize` agreed on. */
  #revision: Revision | undefined;
  #closed = false;
  #ended = false;
  /** The stream for what belongs to no request. */
  #listening: Listening | undefined;

  /** The status of the last answer to a request. */
  status: number | undefined;

  readonly oneByOne = { learn: (tool: ToolEntry): string | undefined => this.#learn(tool) };

  constructor(options: HttpLinkOptions) {
    this.#options = { ...options, hold: () => this.#receiver.hold() };
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  send(message: Message): void | Promise<void> {
    if (this.#closed) throw new ConnectionError('The connection is closed');
    const text = encodeJson(message);
    if ('method' in message && 'id' in message) {
      this.#request(message, text);
      return undefined;
    }
    return this.#tell(message as Notification | Response, text);
  }

  cancel(id: RequestId, reason: string): void | Promise<void> {
    const flight = this.#flights.get(id);
    if (flight === undefined) return undefined;
    // In the modern era the end of the stream says it all.
    if (flight.revision !== undefined) return this.#forget(flight);
    const told = this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
    flight.answered = true;
    // What the server asked for the call's sake it takes back on the stream of the call.
    const linger = (): void => {
      if (this.#closed) return this.#forget(flight);
      this.#options.clock.clearTimeout(flight.timer);
      flight.timer = this.#options.clock.setTimeout(() => this.#forget(flight), LINGER_MS);
    };
    return Promise.resolve(told).finally(linger);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const flight of [...this.#flights.values()]) this.#forget(flight);
    this.#listening?.stop();
    if (this.#session !== undefined && !this.#ended) await this.#leave();
  }

  /** Tells the server that its session is over. */
  async #leave(): Promise<void> {
    const { clock } = this.#options;
    let timer: Timer;
    let abort = (): void => {};
    await new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, FAREWELL_MS);
      abort = fly(
        this.#options,
        { method: 'DELETE', fields: this.#sessionFields(undefined) },
        { head() {}, body() {}, event() {}, end: () => resolve() },
      );
    });
    clock.clearTimeout(timer);
    abort();
  }

  /** What the headers of a message in a session say of it. */
  #sessionFields(message: Message | undefined): Fields {
    const fields: Record<string, string> =
      this.#revision === undefined ? {} : { ...standardHeaders(message as never, this.#revision) };
    if (this.#session !== undefined) fields[HEADER.session] = this.#session;
    return fields;
  }

  #fieldsOf(message: Request, claimed: Revision | undefined): Fields {
    if (claimed === undefined)
      return message.method === 'initialize' ? POST_FIELDS : { ...POST_FIELDS, ...this.#sessionFields(message) };
    const fields = { ...POST_FIELDS, ...standardHeaders(message, claimed) };
    if (message.method !== 'tools/call') return fields;
    const mirrored = this.#mirrored.get(String(message.params?.['name']));
    if (mirrored === undefined) return fields;
    const args = message.params?.['arguments'];
    return { ...fields, ...paramHeaders(mirrored, isObject(args) ? args : undefined) };
  }

  #request(message: Request, text: string): void {
    const claimed = claimedBy(message.params);
    const flight: Underway = {
      id: message.id,
      revision: claimed,
      initializes: claimed === undefined && message.method === 'initialize',
      answered: false,
      abort() {},
      lastId: '',
      timer: undefined,
      lost: 0,
      challenge: undefined,
    };
    const fields = this.#fieldsOf(message, claimed);
    const session = this.#session;
    this.#flights.set(message.id, flight);
    let minted: string | undefined;
    flight.abort = fly(
      this.#options,
      { method: 'POST', fields, body: text },
      {
        head: (status, header) => {
          this.status = status;
          flight.challenge = header('www-authenticate');
          if (!flight.initializes || status >= 300) return undefined;
          minted = header(HEADER.session);
          if (minted !== undefined && !/^[\x21-\x7e]+$/.test(minted)) minted = undefined;
          this.#session = minted;
          return undefined;
        },
        body: (body, status, type) => this.#body(flight, body, status, type, session),
        event: (event) => this.#event(flight, event),
        end: (ended) => this.#postEnded(flight, ended),
      },
    );
  }

  /** A message that is not answered: it is delivered when the server says so. */
  #tell(message: Notification | Response, text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const session = this.#session;
      let failure: ConnectionError | undefined;
      const claimed = 'method' in message ? claimedBy(message.params) : undefined;
      const fields =
        claimed === undefined
          ? { ...POST_FIELDS, ...this.#sessionFields(message) }
          : { ...POST_FIELDS, ...standardHeaders(message as Notification, claimed) };
      fly(
        this.#options,
        { method: 'POST', fields, body: text },
        {
          head: (status, header) => {
            if (status >= 300) failure = this.#refused(status, header('www-authenticate'), undefined, session);
          },
          body() {},
          event: (event) => this.#event(undefined, event),
          end: ({ error, delivered }) => {
            if (error !== undefined && !this.#closed) return reject(broken(error, delivered));
            if (failure !== undefined) return reject(failure);
            if (!('method' in message) || message.method !== 'notifications/initialized') return resolve();
            // Many servers send questions on the stream for notifications, and lose those that come before it is there.
            const late = this.#options.clock.setTimeout(resolve, LISTEN_MS);
            this.#listening ??= new Listening(
              this.#options,
              () => this.#sessionFields(undefined),
              (event) => this.#event(undefined, event),
            );
            return this.#listening.open(() => {
              this.#options.clock.clearTimeout(late);
              resolve();
            });
          },
        },
      );
    });
  }

  #body(flight: Underway, text: string | undefined, status: number, type: string, session: string | undefined): void {
    if (flight.answered) return;
    if (text === undefined)
      return this.#fail(
        flight,
        new ConnectionError(`The answer is larger than ${this.#options.limits.lineBytes} bytes`, {
          processed: 'unknown',
        }),
      );
    const error = status >= 300 ? text : undefined;
    if (error !== undefined && !saysMore(text, status, session !== undefined, this.#options.limits))
      return this.#fail(flight, this.#refused(status, flight.challenge, text, session));
    if (error === undefined && (status === 202 || status === 204 || type !== 'application/json'))
      return this.#fail(
        flight,
        new ConnectionError(
          `The server answered a request with status ${status} and ${type === '' ? 'no content type' : shown(type, 60)}: that is no answer of MCP`,
          { status, processed: 'unknown' },
        ),
      );
    this.#deliver(text, flight);
    if (!flight.answered)
      this.#fail(flight, new ConnectionError('The body of the answer does not answer the request', { status }));
  }

  /** The error for a status. A session that is gone ends the connection: the next one begins a new session. */
  #refused(
    status: number,
    challenge: string | undefined,
    text: string | undefined,
    session: string | undefined,
  ): ConnectionError {
    if (status !== 404 || session === undefined) return refused(status, challenge, text, this.#options.limits);
    const gone = sessionGone();
    // After the request that met with it has failed.
    queueMicrotask(() => this.#end(session, gone));
    return gone;
  }

  #end(session: string, error: ConnectionError): void {
    if (this.#ended || this.#session !== session) return;
    this.#ended = true;
    this.#listening?.stop();
    this.#receiver.end(error);
  }

  /** Messages are events of the type that is the default; others are somebody else's. */
  #event(flight: Underway | undefined, { kind, event, data, id }: SseEvent): void {
    if (flight !== undefined) {
      if (id !== flight.lastId) flight.lost = 0;
      flight.lastId = id;
    }
    if (kind === 'message' && event === 'message') this.#deliver(data, flight);
  }

  /** Hands a text over. An error that names no request, in the answer to one, is about that one. */
  #deliver(text: string, flight: Underway | undefined): void {
    const parsed = parseText(text, this.#options.limits);
    if ('problem' in parsed) return this.#receiver.problem(parsed.problem);
    let { value } = parsed;
    if (isObject(value) && flight !== undefined) {
      if (isObject(value['error']) && value['id'] == null && !Object.hasOwn(value, 'method'))
        value = { ...value, id: flight.id };
      if (flight.initializes) this.#agreed(value as JsonObject);
    }
    for (const one of Array.isArray(value) ? value : [value]) this.#settled(one);
    this.#receiver.value(value, parsed.deep);
  }

  /** An answer to a request means that its stream has nothing more to bring. */
  #settled(value: unknown): void {
    if (!isObject(value) || value['method'] !== undefined) return;
    const flight = this.#flights.get(value['id'] as RequestId);
    if (flight === undefined) return;
    flight.answered = true;
    this.#flights.delete(flight.id);
  }

  #agreed({ result }: JsonObject): void {
    const version = isObject(result) ? result['protocolVersion'] : undefined;
    if (isRevision(version) && LEGACY.includes(version)) this.#revision = version;
  }

  #postEnded(flight: Underway, { error, delivered, status, retry }: Ended): void {
    if (this.#closed || this.#flights.get(flight.id) !== flight) return;
    if (flight.answered) return this.#forget(flight);
    const resumable = flight.revision === undefined && flight.lastId !== '' && !flight.initializes;
    if (!resumable)
      return this.#fail(
        flight,
        error === undefined
          ? new ConnectionError('The answer ended before the result came', {
              processed: 'unknown',
              ...(status === undefined ? {} : { status }),
            })
          : broken(error, delivered),
      );
    if (++flight.lost > MOST_LOST)
      return this.#fail(
        flight,
        new ConnectionError('The stream with the answer was lost, and could not be resumed', { processed: 'unknown' }),
      );
    const wait = Math.min(retry ?? (flight.lost === 1 ? 0 : RESUME_MS * 2 ** (flight.lost - 2)), MOST_WAIT_MS);
    flight.timer = this.#options.clock.setTimeout(() => this.#resume(flight, retry), wait);
  }

  /** Comes back for the rest of a stream (2025-11-25, "Resumability and Redelivery"). */
  #resume(flight: Underway, before: number | undefined): void {
    let refused: number | undefined;
    const fields = { ...GET_FIELDS, ...this.#sessionFields(undefined), [HEADER.lastEventId]: flight.lastId };
    flight.abort = fly(
      this.#options,
      { method: 'GET', fields },
      {
        head: (status) => {
          if (isRefusal(status)) refused = status;
        },
        body() {},
        event: (event) => this.#event(flight, event),
        end: (ended) => {
          if (refused === undefined) return this.#postEnded(flight, { ...ended, retry: ended.retry ?? before });
          if (flight.answered || this.#flights.get(flight.id) !== flight) return undefined;
          return this.#fail(
            flight,
            new ConnectionError(
              `The stream with the answer was lost, and the server does not resume it (status ${refused})`,
              {
                status: refused,
                processed: 'unknown',
              },
            ),
          );
        },
      },
    );
  }

  #fail(flight: Underway, error: ConnectionError): void {
    flight.answered = true;
    this.#flights.delete(flight.id);
    this.#receiver.failed(flight.id, error);
  }

  #forget(flight: Underway): void {
    flight.answered = true;
    this.#flights.delete(flight.id);
    this.#options.clock.clearTimeout(flight.timer);
    flight.abort();
  }

  #learn(tool: ToolEntry): string | undefined {
    const found = mirroredParams(tool.inputSchema);
    if ('problem' in found) {
      this.#mirrored.delete(tool.name);
      return found.problem;
    }
    if (found.length > 0) this.#mirrored.set(tool.name, found);
    else this.#mirrored.delete(tool.name);
    return undefined;
  }
}

/** The revision a message claims to be of: then it is a modern one. */
const claimedBy = (params: JsonObject | undefined): Revision | undefined => {
  const version = metaOf(params)[META.protocolVersion];
  return isRevision(version) ? version : undefined;
};
