import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { wholeText } from '../../protocol/message-text.ts';
import type { HttpTrace, TraceEntry } from '../../protocol/trace.ts';
import { HEADER } from '../../wire/headers.ts';
import { parseText } from '../../wire/parse-text.ts';
import { type SseEvent, SseParser } from '../../wire/sse-parser.ts';
import type { Headers, HttpReply, HttpRequest, UnreadableBody } from '../http/http-message.ts';
import { eventLine, shownFields, describeHeaders } from './http-fields.ts';
import { createTracer, type Tracer } from './tracer.ts';

/** Settings of the traced server. */
interface Tracing {
  readonly onTrace: (entry: TraceEntry) => void;
  readonly limits: Limits;
  /** Legacy clients get sessions. */
  readonly sessions: boolean;
  /** Other processes begin sessions, too. */
  readonly shared: boolean;
}

const REQUEST_HEADERS = [
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
const RESPONSE_HEADERS = ['content-type', 'mcp-session-id', 'allow', 'retry-after', 'www-authenticate'];

/** The query parameter with the session of an HTTP+SSE client. */
const IN_QUERY = 'sessionId';

/** Numbers sessions by their ids. Only the most recent ones are kept. */
class SessionNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  #last = 0;

  constructor(most: number) {
    this.#most = most;
  }

  next(): number {
    return ++this.#last;
  }

  of(id: string | null | undefined): number | undefined {
    return id == null ? undefined : this.#numbers.get(id);
  }

  keep(id: string, number: number): void {
    this.#numbers.set(id, number);
    if (this.#numbers.size <= this.#most) return;
    for (const oldest of this.#numbers.keys()) return void this.#numbers.delete(oldest);
  }
}

/**
 * Makes a function that traces each exchange of a server: it takes a request and returns the one to serve. Messages of the client are
 * `received`, those of the server `sent`.
 */
export function createHttpTracer(
  tracing: Tracing,
): (request: HttpRequest, reply: HttpReply) => readonly [HttpRequest, HttpReply] {
  const tracer = createTracer(tracing.onTrace, tracing.limits);
  const numbers = new SessionNumbers(tracing.limits.sessions);
  let exchanges = 0;
  return (request, reply) => {
    const exchange = new Exchange(tracing, tracer, numbers, ++exchanges, request);
    reply.onGone(() => exchange.end('the client went away', { error: 'The client went away' }));
    return [tracedRequest(request, exchange), tracedReply(reply, exchange)];
  };
}

/** A request and its response, and how they are reported. */
class Exchange {
  readonly #tracing: Tracing;
  readonly #tracer: Tracer;
  readonly #numbers: SessionNumbers;
  readonly #number: number;
  /** The id of the session that the request names. */
  readonly #sessionId: string | null | undefined;
  readonly #events = new SseParser((event) => this.#event(event), { maxBytes: Number.MAX_SAFE_INTEGER });
  #session: number | undefined;
  #ended = false;

  constructor(tracing: Tracing, tracer: Tracer, numbers: SessionNumbers, number: number, request: HttpRequest) {
    this.#tracing = tracing;
    this.#tracer = tracer;
    this.#numbers = numbers;
    this.#number = number;
    this.#sessionId = request.header(HEADER.session);
    this.#session = numbers.of(this.#sessionId) ?? numbers.of(request.query(IN_QUERY));
    const { method, path } = request;
    const headers = shownFields(request.fields());
    this.#http(describeHeaders(`${method} ${path}`, headers, REQUEST_HEADERS), {
      part: 'request',
      method,
      url: path,
      headers,
    });
  }

  /** Called with the body of the request. `secret`: it is not a message and must not be reported. */
  requestBody(text: string | UnreadableBody, secret: boolean): void {
    if (typeof text !== 'string')
      return this.#pass(
        'lost',
        text.unreadable === 'too large'
          ? 'A body is larger than allowed, and was not read'
          : 'A body is not valid UTF-8',
      );
    if (secret) return this.#http('a body that is not a message', { part: 'body' });
    if (text === '') return undefined;
    const parsed = parseText(text, this.#tracing.limits);
    // Its number is assigned before its id is known.
    if (this.#tracing.sessions && 'value' in parsed && isInitialize(parsed.value))
      this.#session ??= this.#numbers.next();
    return this.#pass(parsed.kind, text);
  }

  answer(status: number, fields: Headers): void {
    // A session that began in another process gets its number when a request in it succeeds.
    const joined = this.#tracing.shared && status < 300 ? this.#sessionId : undefined;
    this.#belongsTo(fields[HEADER.session] ?? joined);
    const headers = shownFields(Object.entries(fields));
    this.#http(describeHeaders(`${status}`, headers, RESPONSE_HEADERS), { part: 'answer', status, headers });
  }

  /** Called with the body of the response. */
  responseBody(text: string): void {
    if (parseText(text, this.#tracing.limits).kind === 'received') this.#pass('sent', text);
    else this.#http(`a body that is not a message, ${text.length} characters`, { part: 'body' });
  }

  /** Called with a part of a response that is a stream of events. */
  responseEvents(text: string): void {
    this.#events.push(text);
  }

  end(text: string, facts: Pick<HttpTrace, 'error' | 'left'> = {}): void {
    this.#http(text, { part: 'end', ...facts });
    this.#ended = true;
  }

  #event(event: SseEvent): void {
    if (event.event === 'endpoint')
      this.#belongsTo(new URLSearchParams(event.data.slice(event.data.indexOf('?') + 1)).get(IN_QUERY));
    this.#http(eventLine(event), { part: 'event', event: { name: event.event, id: event.id } });
    if (event.kind === 'message' && event.event === 'message') this.#pass('sent', event.data);
  }

  #belongsTo(id: string | null | undefined): void {
    if (id != null) this.#numbers.keep(id, (this.#session ??= this.#numbers.next()));
  }

  #http(text: string, part: Omit<HttpTrace, 'exchange'>): void {
    this.#pass('http', text, { http: { ...part, exchange: this.#number } });
  }

  #pass(kind: TraceEntry['kind'], text: string, more: Pick<TraceEntry, 'http'> = {}): void {
    const session = this.#session === undefined ? {} : { session: this.#session };
    if (!this.#ended) this.#tracer.report(kind, text, { exchange: this.#number, ...more, ...session });
  }
}

/** Does a message begin a session? */
function isInitialize(value: unknown): boolean {
  return isObject(value) && value['method'] === 'initialize';
}

function tracedRequest(request: HttpRequest, exchange: Exchange): HttpRequest {
  return {
    method: request.method,
    path: request.path,
    get host() {
      return request.host;
    },
    get authority() {
      return request.authority;
    },
    get address() {
      return request.address;
    },
    get search() {
      return request.search;
    },
    get repeated() {
      return request.repeated;
    },
    header: request.header,
    fields: () => request.fields(),
    query: (name) => request.query(name),
    body: (most, take, secret = false) =>
      request.body(most, (text) => {
        exchange.requestBody(text, secret);
        take(text);
      }),
  };
}

function tracedReply(reply: HttpReply, exchange: Exchange): HttpReply {
  return {
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
        if (body !== undefined) exchange.responseBody(wholeText(body));
        exchange.end('end');
      }
      reply.send(status, fields, body, close);
    },
    stream(fields) {
      if (!reply.closed) exchange.answer(200, fields);
      reply.stream(fields);
    },
    write(text) {
      if (!reply.closed) exchange.responseEvents(text);
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
  };
}
