import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { reasonOf } from '../../protocol/text.ts';
import type { HttpTrace, TraceEntry } from '../../protocol/trace.ts';
import type { AllFields } from '../../wire/headers.ts';
import { parseText } from '../../wire/parse-text.ts';
import { createSseParser, type SseEvent, type SseParser } from '../../wire/sse-parser.ts';
import { decodePieces, joinBytes } from '../../wire/byte-pieces.ts';
import type { HttpSend, Outgoing } from '../http-client/send.ts';
import { eventLine, shownFields, shownUrl, summaryLine } from './http-fields.ts';
import type { Tracer } from './tracer.ts';

/** Traces one HTTP exchange. */
interface ExchangeTrace {
  text(kind: TraceEntry['kind'], text: string): void;
  http(text: string, part: Omit<HttpTrace, 'exchange'>): void;
}

/**
 * Sends with `send` and traces everything. Each request is an exchange of its own, also after a redirect or with other credentials.
 * Answers are read independently of the client, so the trace shows what was on the wire.
 */
export const tracedSend = (send: HttpSend, tracer: Tracer, limits: Limits): HttpSend => {
  let exchanges = 0;
  /** Requests that were sent before: a message is traced once, even if it is sent again. */
  const sent = new WeakSet<object>();
  return (request, incoming) => {
    const exchange = ++exchanges;
    const trace: ExchangeTrace = {
      text: (kind, text) => tracer.trace(kind, text, { exchange }),
      http: (text, part) => tracer.trace('http', text, { exchange, http: { ...part, exchange } }),
    };
    const { body, identity } = request;
    if (body !== undefined && !(identity !== undefined && sent.has(identity))) trace.text('sent', body);
    if (identity !== undefined) sent.add(identity);
    let started = false;
    const begin = (fields: AllFields): void => {
      if (!started) traceRequest(trace, request, fields);
      started = true;
    };
    const answer = tracedAnswer(trace, isRequest(body), limits);
    let over = false;
    const end = (text: string, facts: Pick<HttpTrace, 'error' | 'left'>): void => {
      if (over) return;
      over = true;
      begin(Object.entries(request.headers));
      answer.end(facts.error === undefined && facts.left === undefined);
      trace.http(text, { part: 'end', ...facts });
    };
    const failed = (error: Error): void => {
      const reason = reasonOf(error);
      end(`failed: ${reason}`, { error: reason });
    };
    const abort = send(request, {
      sent: begin,
      head(status, header, all) {
        answer.head(status, header, all?.() ?? []);
        incoming.head(status, header);
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
    return () => {
      end('left before the end', { left: true });
      abort();
    };
  };
};

const traceRequest = (trace: ExchangeTrace, { method, url, headers, body }: Outgoing, fields: AllFields): void => {
  const shown = shownFields(fields);
  const place = shownUrl(url);
  trace.http(summaryLine(`${method} ${place.text}`, shown, Object.keys(headers)), {
    part: 'request',
    method,
    url: place.url,
    headers: shown,
    ...(body === undefined ? {} : { body }),
  });
};

/** Is a body a JSON-RPC request, which gets a response? */
const isRequest = (body: string | undefined): boolean => {
  if (body === undefined) return false;
  const message: unknown = JSON.parse(body);
  return isObject(message) && 'method' in message && 'id' in message;
};

/** How much of an error body is traced. The client reads no more of it either. */
const ERROR_BYTES = 64 * 1024;

const essenceOf = (type: string): string => (type.split(';', 1)[0] ?? '').trim().toLowerCase();

const SUMMARY_FIELDS = ['content-type', 'mcp-session-id', 'allow', 'location', 'retry-after', 'www-authenticate'];

/** Traces an answer as it arrives. */
const tracedAnswer = (trace: ExchangeTrace, expectsResponse: boolean, limits: Limits) => {
  let status = 0;
  let type = '';
  let parser: SseParser | undefined;
  let pieces: Uint8Array[] = [];
  let size = 0;
  let intact = true;

  const isSuccess = (): boolean => status >= 200 && status < 300;
  const reportLost = (problem: string): void => {
    if (intact) trace.text('lost', problem);
    intact = false;
  };

  const traceEvent = (event: SseEvent): void => {
    trace.http(eventLine(event), { part: 'event', event: { name: event.event, id: event.id } });
    if (event.kind === 'invalid') trace.text('lost', 'An event is not valid UTF-8');
    else if (event.kind === 'message' && event.event === 'message')
      trace.text(parseText(event.data, limits).kind, event.data);
  };

  /** Stores as much of a body as the client reads. */
  const keep = (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    const max = isSuccess() ? limits.lineBytes : ERROR_BYTES;
    if (size <= max) pieces.push(chunk);
    else reportLost(`A body is larger than ${max} bytes`);
  };

  return {
    head(code: number, header: (name: string) => string | undefined, all: AllFields): void {
      status = code;
      type = essenceOf(header('content-type') ?? '');
      const headers = shownFields(all);
      trace.http(summaryLine(`${code}`, headers, SUMMARY_FIELDS), { part: 'answer', status, headers });
      if (isSuccess() && type === 'text/event-stream')
        parser = createSseParser(traceEvent, { maxBytes: limits.lineBytes });
    },
    data(chunk: Uint8Array): void {
      if (parser === undefined) return keep(chunk);
      try {
        if (intact) parser.push(chunk);
      } catch (error) {
        reportLost((error as Error).message);
      }
      return undefined;
    },
    /** `complete`: the answer was not cut off. */
    end(complete: boolean): void {
      if (pieces.length === 0) return;
      const exact = decodePieces(pieces);
      const text = exact ?? new TextDecoder().decode(joinBytes(pieces));
      pieces = [];
      const isWhole = intact && complete;
      const isAnswer =
        expectsResponse && isSuccess() && status !== 202 && status !== 204 && type === 'application/json';
      if (isWhole && isAnswer && exact === undefined) return reportLost('A body is not valid UTF-8');
      const kind = isWhole && exact !== undefined ? parseText(text, limits).kind : undefined;
      if (kind === 'received' || (kind === 'junk' && isAnswer)) return trace.text(kind, text);
      const what = isWhole ? 'a body that is not a message' : 'the beginning of a body';
      return trace.http(`${what}, ${size} bytes`, { part: 'body', body: text });
    },
  };
};
