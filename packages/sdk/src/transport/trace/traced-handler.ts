import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { HttpTrace, TraceEntry } from '../../protocol/trace.ts';
import { HEADER } from '../../wire/headers.ts';
import { parseText } from '../../wire/parse-text.ts';
import { createSseParser, type SseEvent } from '../../wire/sse-parser.ts';
import type { Headers, HttpReply, HttpRequest, UnreadableBody } from '../http/message.ts';
import { eventLine, shownFields, summaryLine } from './http-fields.ts';
import { createTracer, type Tracer } from './tracer.ts';

/** Options of a traced server. */
interface Tracing {
  readonly onTrace: (entry: TraceEntry) => void;
  readonly limits: Limits;
  /** Do legacy clients get sessions? */
  readonly sessions: boolean;
  /** Do other processes begin sessions too? */
  readonly shared: boolean;
}

const REQUEST_FIELDS = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
  'origin',
  'authorization',
];
const ANSWER_FIELDS = ['content-type', 'mcp-session-id', 'allow', 'retry-after', 'www-authenticate'];

/** The query parameter with the session id in HTTP+SSE. */
const SESSION_PARAMETER = 'sessionId';

/** Numbers of sessions, by their ids. Only the latest `max` are remembered. */
class SessionNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #max: number;
  #last = 0;

  constructor(most: number) {
    this.#max = most;
  }

  next(): number {
    return ++this.#last;
  }

  get(id: string | null | undefined): number | undefined {
    return id == null ? undefined : this.#numbers.get(id);
  }

  set(id: string, number: number): void {
    this.#numbers.set(id, number);
    if (this.#numbers.size <= this.#max) return;
    for (const oldest of this.#numbers.keys()) return void this.#numbers.delete(oldest);
  }
}

/**
 * Creates the function that traces each exchange of a server: it wraps a request and its reply. Messages of the client are `received`, those
 * of the server are `sent`.
 */
export const createHttpTracer = (
  tracing: Tracing,
): ((request: HttpRequest, reply: HttpReply) => readonly [HttpRequest, HttpReply]) => {
  const tracer = createTracer(tracing.onTrace, tracing.limits);
  const numbers = new SessionNumbers(tracing.limits.sessions);
  let exchanges = 0;
  return (request, reply) => {
    const exchange = new Exchange(tracing, tracer, numbers, ++exchanges, request);
    reply.onGone(() => exchange.end('the client went away', { error: 'The client went away' }));
    return [tracedRequest(request, exchange), tracedReply(reply, exchange)];
  };
};

/** Traces a request and its answer. */
class Exchange {
  readonly #tracing: Tracing;
  readonly #tracer: Tracer;
  readonly #numbers: SessionNumbers;
  readonly #number: number;
  /** The session id in the request. */
  readonly #sessionId: string | null | undefined;
  readonly #events = createSseParser((event) => this.#event(event), { maxBytes: Number.MAX_SAFE_INTEGER });
  #session: number | undefined;
  #ended = false;

  constructor(tracing: Tracing, tracer: Tracer, numbers: SessionNumbers, number: number, request: HttpRequest) {
    this.#tracing = tracing;
    this.#tracer = tracer;
    this.#numbers = numbers;
    this.#number = number;
    this.#sessionId = request.header(HEADER.session);
    this.#session = numbers.get(this.#sessionId) ?? numbers.get(request.query(SESSION_PARAMETER));
    const { method, path } = request;
    const headers = shownFields(request.fields());
    this.#http(summaryLine(`${method} ${path}`, headers, REQUEST_FIELDS), {
      part: 'request',
      method,
      url: path,
      headers,
    });
  }

  /** Traces the body of the request. `secret`: it is not a message, and not shown. */
  requestBody(text: string | UnreadableBody, secret: boolean): void {
    if (typeof text !== 'string')
      return this.#trace(
        'lost',
        text.unreadable === 'too large'
          ? 'A body is larger than allowed, and was not read'
          : 'A body is not valid UTF-8',
      );
    if (secret) return this.#http('a body that is not a message', { part: 'body' });
    if (text === '') return undefined;
    const parsed = parseText(text, this.#tracing.limits);
    // The session gets its number before its id is known.
    if (this.#tracing.sessions && 'value' in parsed && isInitialize(parsed.value))
      this.#session ??= this.#numbers.next();
    return this.#trace(parsed.kind, text);
  }

  answer(status: number, fields: Headers): void {
    // A session of another process gets its number when an answer shows that it exists.
    const joined = this.#tracing.shared && status < 300 ? this.#sessionId : undefined;
    this.#joinSession(fields[HEADER.session] ?? joined);
    const headers = shownFields(Object.entries(fields));
    this.#http(summaryLine(`${status}`, headers, ANSWER_FIELDS), { part: 'answer', status, headers });
  }

  /** Traces the body of the answer. */
  answerBody(text: string): void {
    if (parseText(text, this.#tracing.limits).kind === 'received') this.#trace('sent', text);
    else this.#http(`a body that is not a message, ${text.length} characters`, { part: 'body' });
  }

  /** Traces a part of an event stream. */
  answerChunk(text: string): void {
    this.#events.push(text);
  }

  end(text: string, facts: Pick<HttpTrace, 'error' | 'left'> = {}): void {
    this.#http(text, { part: 'end', ...facts });
    this.#ended = true;
  }

  #event(event: SseEvent): void {
    if (event.event === 'endpoint')
      this.#joinSession(new URLSearchParams(event.data.slice(event.data.indexOf('?') + 1)).get(SESSION_PARAMETER));
    this.#http(eventLine(event), { part: 'event', event: { name: event.event, id: event.id } });
    if (event.kind === 'message' && event.event === 'message') this.#trace('sent', event.data);
  }

  #joinSession(id: string | null | undefined): void {
    if (id != null) this.#numbers.set(id, (this.#session ??= this.#numbers.next()));
  }

  #http(text: string, part: Omit<HttpTrace, 'exchange'>): void {
    this.#trace('http', text, { http: { ...part, exchange: this.#number } });
  }

  #trace(kind: TraceEntry['kind'], text: string, more: Pick<TraceEntry, 'http'> = {}): void {
    const session = this.#session === undefined ? {} : { session: this.#session };
    if (!this.#ended) this.#tracer.trace(kind, text, { exchange: this.#number, ...more, ...session });
  }
}

/** Does a message begin a session? */
const isInitialize = (value: unknown): boolean => isObject(value) && value['method'] === 'initialize';

const tracedRequest = (request: HttpRequest, exchange: Exchange): HttpRequest => ({
  method: request.method,
  path: request.path,
  get host() {
    return request.host;
  },
  get address() {
    return request.address;
  },
  get repeated() {
    return request.repeated;
  },
  header: request.header,
  fields: () => request.fields(),
  query: (name) => request.query(name),
  body: (maxBytes, take, secret = false) =>
    request.body(maxBytes, (text) => {
      exchange.requestBody(text, secret);
      take(text);
    }),
});

const tracedReply = (reply: HttpReply, exchange: Exchange): HttpReply => ({
  get unsent() {
    return reply.unsent;
  },
  get closed() {
    return reply.closed;
  },
  onGone: (listener) => reply.onGone(listener),
  send(status, fields, body, close) {
    if (!reply.closed) {
      exchange.answer(status, fields);
      if (body !== undefined) exchange.answerBody(body);
      exchange.end('end');
    }
    reply.send(status, fields, body, close);
  },
  stream(fields) {
    if (!reply.closed) exchange.answer(200, fields);
    reply.stream(fields);
  },
  write(text) {
    if (!reply.closed) exchange.answerChunk(text);
    return reply.write(text);
  },
  end() {
    if (!reply.closed) exchange.end('end');
    reply.end();
  },
  destroy() {
    if (!reply.closed) exchange.end('broken off', { left: true });
    reply.destroy();
  },
});
