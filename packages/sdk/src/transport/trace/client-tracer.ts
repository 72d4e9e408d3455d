import type { Clock } from '../../client/clock.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { TraceEntry, HttpTrace } from '../../protocol/trace.ts';
import type { HttpSend, AnswerHead, Outgoing } from '../http-client/send.ts';
import { createTracer, type Tracer } from './tracer.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { reasonOf } from '../../protocol/text.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import type { AllFields } from '../../wire/headers.ts';
import { parseText } from '../../wire/parse-text.ts';
import { mediaTypeOf } from '../../wire/media-type.ts';
import { type SseEvent, SseParser } from '../../wire/sse-parser.ts';
import { decodePieces, joinBytes } from '../../wire/byte-pieces.ts';
import { eventLine, shownFields, shownUrl, describeHeaders } from './http-fields.ts';

/** The tracer of a client, for all its transports. */
export interface ClientTracer extends Tracer {
  /** The same function for sending HTTP requests, with tracing. */
  send(send: HttpSend): HttpSend;
}

export function createClientTracer(onTrace: (entry: TraceEntry) => void, limits: Limits, clock: Clock): ClientTracer {
  const tracer = createTracer(onTrace, limits, clock);
  return { ...tracer, send: (send) => tracedSend(send, tracer, limits) };
}

/** Reports the events of one exchange. */
interface ExchangeReporter {
  text(kind: TraceEntry['kind'], text: string): void;
  http(text: string, part: Omit<HttpTrace, 'exchange'>): void;
}

/**
 * Sends with `send`, and reports everything: each request is an exchange of its own, also after a redirect or with other credentials. It
 * parses responses on its own, so that it reports the traffic on the wire however the client handles it.
 */
function tracedSend(send: HttpSend, tracer: Tracer, limits: Limits): HttpSend {
  let exchanges = 0;
  /** Messages that were sent before: a message is reported once, even if it is sent again. */
  const known = new WeakSet<object>();
  return (request, incoming) => {
    const exchange = ++exchanges;
    const report: ExchangeReporter = {
      text: (kind, text) => tracer.report(kind, text, { exchange }),
      http: (text, part) => tracer.report('http', text, { exchange, http: { ...part, exchange } }),
    };
    const { body, identity } = request;
    if (body !== undefined && !(identity !== undefined && known.has(identity))) report.text('sent', body);
    if (identity !== undefined) known.add(identity);
    let begun = false;
    const begin = (fields: AllFields): void => {
      if (!begun) reportRequest(report, request, fields);
      begun = true;
    };
    const answer = tracedAnswer(report, asksFor(body), limits);
    let over = false;
    const end = (text: string, facts: Pick<HttpTrace, 'error' | 'left'>): void => {
      if (over) return;
      over = true;
      begin(Object.entries(request.headers));
      answer.end(facts.error === undefined && facts.left === undefined);
      report.http(text, { part: 'end', ...facts });
    };
    const failed = (error: Error): void => {
      const reason = reasonOf(error);
      end(`failed: ${reason}`, { error: reason });
    };
    const sent = send(request, {
      sent: begin,
      head(head) {
        answer.head(head);
        incoming.head(head);
      },
      data(chunk) {
        if (!over) answer.data(chunk);
        incoming.data(chunk);
      },
      end(error, delivered) {
        if (error === undefined) end('end', {});
        else failed(error);
        incoming.end(error, delivered);
      },
    });
    begin(Object.entries(request.headers));
    return {
      abort() {
        end('left before the end', { left: true });
        sent.abort();
      },
    };
  };
}

function reportRequest(report: ExchangeReporter, { method, url, headers, body }: Outgoing, fields: AllFields): void {
  const shown = shownFields(fields);
  const place = shownUrl(url);
  const part = withoutUndefined({ part: 'request' as const, method, url: place.url, headers: shown, body });
  report.http(describeHeaders(`${method} ${place.text}`, shown, Object.keys(headers)), part);
}

/** Does a body contain a request? */
function asksFor(body: string | undefined): boolean {
  if (body === undefined) return false;
  const message: unknown = JSON.parse(body);
  return isObject(message) && 'method' in message && 'id' in message;
}

/** The maximum part of an error's body that is kept; the client reads no more of it, either. */
const ERROR_BYTES = 64 * 1024;

const SHOWN_HEADERS = ['content-type', 'mcp-session-id', 'allow', 'location', 'retry-after', 'www-authenticate'];

/** Reports a response as it arrives. */
function tracedAnswer(report: ExchangeReporter, asked: boolean, limits: Limits) {
  let status = 0;
  let type = '';
  let parser: SseParser | undefined;
  let pieces: Uint8Array[] = [];
  let size = 0;
  let whole = true;

  const isGood = (): boolean => status >= 200 && status < 300;
  const lose = (problem: string): void => {
    if (whole) report.text('lost', problem);
    whole = false;
  };

  const reportEvent = (event: SseEvent): void => {
    report.http(eventLine(event), { part: 'event', event: { name: event.event, id: event.id } });
    if (event.kind === 'invalid') report.text('lost', 'An event is not valid UTF-8');
    else if (event.kind === 'message' && event.event === 'message')
      report.text(parseText(event.data, limits).kind, event.data);
  };

  /** Keeps as much of a body as the client reads. */
  const keep = (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    const most = isGood() ? limits.lineBytes : ERROR_BYTES;
    if (size <= most) pieces.push(chunk);
    else lose(`A body is larger than ${most} bytes`);
  };

  return {
    head(head: AnswerHead): void {
      ({ status } = head);
      type = mediaTypeOf(head.header('content-type') ?? '');
      const headers = shownFields(head.all());
      report.http(describeHeaders(`${status}`, headers, SHOWN_HEADERS), { part: 'answer', status, headers });
      if (isGood() && type === 'text/event-stream') parser = new SseParser(reportEvent, { maxBytes: limits.lineBytes });
    },
    data(chunk: Uint8Array): void {
      if (parser === undefined) return keep(chunk);
      try {
        if (whole) parser.push(chunk);
      } catch (error) {
        lose((error as Error).message);
      }
      return undefined;
    },
    /** `complete`: nothing was cut off. */
    end(complete: boolean): void {
      if (pieces.length === 0) return;
      const exact = decodePieces(pieces);
      const text = exact ?? new TextDecoder().decode(joinBytes(pieces));
      pieces = [];
      const read = whole && complete;
      const meant = asked && isGood() && status !== 202 && status !== 204 && type === 'application/json';
      if (read && meant && exact === undefined) return lose('A body is not valid UTF-8');
      const kind = read && exact !== undefined ? parseText(text, limits).kind : undefined;
      if (kind === 'received' || (kind === 'junk' && meant)) return report.text(kind, text);
      const what = read ? 'a body that is not a message' : 'the beginning of a body';
      return report.http(`${what}, ${size} bytes`, { part: 'body', body: text });
    },
  };
}
