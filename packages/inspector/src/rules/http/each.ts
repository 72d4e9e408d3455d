import type { HttpPart } from '../../trace/line.ts';
import { mediaTypeOf } from '@tenon/values/media-type';
import type { SessionState } from '../session-state.ts';
import { type Message, type Request } from '../message.ts';
import { createRecent } from '../recent.ts';
import type { Seen } from '../rule.ts';
import type { Exchange } from './exchanges.ts';

/** Calls `look` for each Streamable HTTP exchange once it has an answer or has ended, when its messages are known. */
export function eachExchange(session: SessionState, look: (exchange: Exchange) => void) {
  const done = createRecent<true>(MAX_EXCHANGES);
  return ({ line }: Seen): void => {
    const { http } = line;
    if (line.kind !== 'http' || http === undefined) return;
    if (http.part === 'request') return void done.delete(http.exchange);
    if (done.has(http.exchange) || (http.part !== 'answer' && http.part !== 'end')) return;
    done.set(http.exchange, true);
    const exchange = session.exchanges.of(line);
    if (exchange !== undefined && isStreamable(session)) look(exchange);
  };
}

const MAX_EXCHANGES = 1_000;

/** HTTP+SSE of 2024-11-05 has other rules. */
function isStreamable({ head, exchanges }: SessionState): boolean {
  return head?.transport !== 'sse' && !exchanges.pair;
}

/** Calls `look` for each exchange that has ended. */
export function eachEnd(session: SessionState, look: (exchange: Exchange) => void) {
  return ({ line }: Seen): void => {
    if (line.kind !== 'http' || line.http?.part !== 'end') return;
    const exchange = session.exchanges.of(line);
    if (exchange !== undefined) look(exchange);
  };
}

export function requestOf({ carried }: Exchange): Request | undefined {
  return carried.find((message): message is Request => message.kind === 'request');
}

/** A header. Undefined if it is missing, or if headers were not recorded. */
export function headerOf(headers: HttpPart['headers'], name: string): string | undefined {
  return headers !== undefined && Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** The value is redacted in the trace. */
export function isHidden(value: string | undefined): boolean {
  return value !== undefined && (value.includes('…') || value.includes('[redacted]'));
}

/** The media type without parameters: `application/json; charset=utf-8` is `application/json`. */
export function typeOf(headers: HttpPart['headers']): string {
  return mediaTypeOf(headerOf(headers, 'content-type') ?? '');
}

/** The lines of an exchange, as evidence. */
export function linesOf({ n, carried, answer, end }: Exchange): number[] {
  return [
    ...new Set([
      ...carried.slice(0, 3).map((message: Message) => message.n),
      n,
      ...(answer === undefined ? (end === undefined ? [] : [end.n]) : [answer.n]),
    ]),
  ];
}
