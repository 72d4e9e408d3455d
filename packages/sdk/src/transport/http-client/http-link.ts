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
import { isRevision, LEGACY, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { HEADER } from '../../wire/headers.ts';
import { encodeJson } from '../../wire/json.ts';
import { parseText } from '../../wire/parse-text.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { fly, type HttpLinkOptions } from './fly.ts';
import type { Listening } from './listening.ts';
import { claimedBy, MessageFields } from './message-fields.ts';
import type { Ended, Unreadable } from './read-answer.ts';
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

/** How long the client waits for the server to open the stream of the session, before it goes on without, in milliseconds. */
const LISTEN_MS = 500;
/** The same where the server may ask this client something: many servers lose requests that come before the stream is open. */
const LISTEN_FOR_REQUESTS_MS = 5_000;
/** How long the stream of a call that was cancelled is still read, in milliseconds. */
const LINGER_MS = 1_000;
/** Visible ASCII ("Session Management"): an id with anything else is none. */
const SESSION_ID = /^[\x21-\x7e]+$/;
/** How long taking leave may take, in milliseconds. */
const FAREWELL_MS = 1_000;

/** Messages travel by Streamable HTTP: each in a POST of its own. The link sees in them what their headers have to say. */
export class HttpLink implements Link {
  readonly #options: HttpLinkOptions;
  readonly #flights = new Map<RequestId, Underway>();
  readonly #fields = new MessageFields();
  #receiver!: Receiver;
  /** May the server send requests to this client? */
  #answers = false;
  #closed = false;
  #ended = false;
  /** The stream for what belongs to no request. */
  #listening: Listening | undefined;

  /** The status of the last answer to a request. */
  status: number | undefined;

  readonly perRequest = { learn: (tool: ToolEntry): string | undefined => this.#fields.learn(tool) };

  constructor(options: HttpLinkOptions) {
    this.#options = { ...options, hold: () => this.#receiver.pauseTimeouts() };
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
    if (this.#fields.session !== undefined && !this.#ended) await this.#leave();
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
        { method: 'DELETE', fields: this.#fields.ofSession() },
        { head() {}, body() {}, event() {}, end: () => resolve() },
      );
    });
    clock.clearTimeout(timer);
    abort();
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
    const fields = this.#fields.of(message);
    const { session } = this.#fields;
    this.#flights.set(message.id, flight);
    if (flight.initializes) this.#answers = declaresAnswers(message.params?.['capabilities']);
    flight.abort = fly(
      this.#options,
      { method: 'POST', fields, body: text },
      {
        head: (status, header) => {
          this.status = status;
          flight.challenge = header('www-authenticate');
          if (!flight.initializes || status >= 300) return undefined;
          const minted = header(HEADER.session);
          this.#fields.session = minted !== undefined && SESSION_ID.test(minted) ? minted : undefined;
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
      const { session } = this.#fields;
      let failure: ConnectionError | undefined;
      fly(
        this.#options,
        { method: 'POST', fields: this.#fields.of(message), body: text },
        {
          head: (status, header) => {
            if (status >= 300) failure = this.#refused(status, header('www-authenticate'), undefined, session);
          },
          body() {},
          event: (event) => this.#event(undefined, event),
          end: ({ error, delivered }) => {
            if (error !== undefined && !this.#closed) return reject(broken(error, delivered));
            if (failure !== undefined) return reject(failure);
            const begins = 'method' in message && message.method === 'notifications/initialized';
            return resolve(begins ? this.#listen() : undefined);
          },
        },
      );
    });
  }

  /** Opens the stream of the session. Many servers drop what they send on it before it is open, so no call is made until then. */
  async #listen(): Promise<void> {
    // Loaded on demand: only sessions need it.
    const { Listening } = await import('./listening.ts');
    if (this.#closed || this.#ended) return undefined;
    this.#listening ??= new Listening(this.#options, {
      fields: (message) => (message === undefined ? this.#fields.ofSession() : this.#fields.of(message)),
      take: (event) => this.#event(undefined, event),
      gone: () => this.#end(this.#fields.session, sessionGone()),
    });
    const requests = this.#answers && this.#fields.session !== undefined;
    return this.#listening.open(requests ? LISTEN_FOR_REQUESTS_MS : LISTEN_MS);
  }

  #body(flight: Underway, body: string | Unreadable, status: number, type: string, session: string | undefined): void {
    if (flight.answered) return;
    const text = typeof body === 'string' ? body : '';
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
    if (typeof body !== 'string')
      return this.#fail(flight, new ConnectionError(`The answer ${body.problem}`, { status, processed: 'unknown' }));
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

  #end(session: string | undefined, error: ConnectionError): void {
    if (session === undefined || this.#ended || this.#fields.session !== session) return;
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
    else if (kind === 'invalid') this.#receiver.problem('An event of the stream is not valid UTF-8');
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
    if (isRevision(version) && LEGACY.includes(version)) this.#fields.revision = version;
  }

  #postEnded(flight: Underway, ended: Ended): void {
    const { error, delivered, status } = ended;
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
    return void this.#resume(flight, ended);
  }

  /** Comes back for the rest of a stream. */
  async #resume(flight: Underway, ended: Ended): Promise<void> {
    // Loaded on demand: only sessions need it.
    const { resumeLater } = await import('./resuming.ts');
    const waits = (): boolean => !flight.answered && this.#flights.get(flight.id) === flight;
    if (!waits()) return;
    resumeLater(this.#options, flight, ended, {
      fields: () => this.#fields.ofSession(),
      waits,
      take: (event) => this.#event(flight, event),
      ended: (ended) => this.#postEnded(flight, ended),
      fail: (error) => this.#fail(flight, error),
    });
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
}

/** Does a client with these capabilities answer requests of a server? */
function declaresAnswers(capabilities: unknown): boolean {
  return isObject(capabilities) && ['elicitation', 'sampling', 'roots'].some((name) => capabilities[name] != null);
}
