import { DEFAULT_LIMITS } from '../protocol/limits.ts';

/** An event that arrived. */
export interface SseEvent {
  /** `message`: there is data. `empty`: there is none to read; it primes a stream for resumption, or only says an id. */
  readonly kind: 'message' | 'empty';
  /** The name of the event; `message` where it has none. */
  readonly event: string;
  readonly data: string;
  /** The last id the stream has said so far, this event included; the empty string where it has said none. */
  readonly id: string;
}

/** A stream that cannot be read any further: an event, or a line, is longer than allowed. */
export class SseError extends Error {
  override readonly name = 'SseError';
  /** The limit, in bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super(`An event of the stream is longer than ${limit} bytes`);
    this.limit = limit;
  }
}

/** Cuts a stream into events. Holds at most one unfinished event. */
export interface SseParser {
  /** Takes the next chunk and hands out the events that it completes. Throws an `SseError`, then and at every later chunk. */
  push(chunk: Uint8Array | string): void;
  /** The last id the stream has said, to resume it from; the empty string where there is none. */
  readonly lastId: string;
  /** How long the server wants a client to wait before it reconnects, in milliseconds; undefined while it has not said. */
  readonly retry: number | undefined;
}

const SPACE = 0x20;
const BYTE_ORDER_MARK = '\ufeff';
/** A timer cannot wait longer; neither does a client. */
const MOST_MS = 2 ** 31 - 1;

/**
 * An incremental parser of event streams (HTML Standard, "Interpreting an event stream").
 *
 * - Lines end with `\n`, `\r` or `\r\n`; an event is handed out as soon as its last line has ended, wherever the stream is cut into chunks.
 * - What is unfinished when the stream ends is no event.
 * - The text of one event, its lines that are kept, is at most `maxBytes` bytes of UTF-8; so is any single line.
 * - Chunks are bytes or strings, not both in one stream. Invalid UTF-8 becomes U+FFFD.
 *
 * Throws a `TypeError` if `maxBytes` is not a positive integer.
 *
 * @example
 * ```ts
 * const parser = createSseParser((event) => event.kind === 'message' && receive(event.data));
 * for await (const chunk of response.body) parser.push(chunk);
 * ```
 */
export const createSseParser = (
  onEvent: (event: SseEvent) => void,
  options: { readonly maxBytes?: number } = {},
): SseParser => {
  const { maxBytes = DEFAULT_LIMITS.lineBytes } = options;
  if (!Number.isSafeInteger(maxBytes) || maxBytes <= 0)
    throw new TypeError(`maxBytes must be a positive integer, got ${maxBytes}`);
  // The mark is removed below, for strings as well.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const isAscii = asciiWatch();
  let atStart = true;
  /** The last chunk ended with `\r`: a `\n` now belongs to it. */
  let afterReturn = false;
  let broken: SseError | undefined;
  /** What there is of a line that began in an earlier chunk. */
  let line = '';
  /** Of the line that has begun, and of the kept lines of the event that has. */
  let lineBytes = 0;
  let eventBytes = 0;
  let data: string[] = [];
  let event = '';
  /** Becomes the last id when the event ends. */
  let id = '';
  let says = false;
  let lastId = '';
  let retry: number | undefined;

  const count = (bytes: number): void => {
    lineBytes += bytes;
    if (lineBytes + eventBytes <= maxBytes) return;
    broken = new SseError(maxBytes);
    line = '';
    data = [];
    throw broken;
  };

  const field = (name: string, value: string): void => {
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) {
      id = value;
      says = true;
    } else if (name !== 'retry') return;
    else if (/^[0-9]+$/.test(value)) retry = Math.min(Number(value), MOST_MS);
    eventBytes += lineBytes + 1;
  };

  /** Takes the line that a text has from here to there: almost always data. */
  const take = (text: string, from: number, to: number): void => {
    if (text.startsWith('data:', from)) return field('data', valueAfter(text, from + 5, to));
    const whole = text.slice(from, to);
    const colon = whole.indexOf(':');
    if (colon === -1) field(whole, '');
    else if (colon > 0) field(whole.slice(0, colon), valueAfter(whole, colon + 1, whole.length));
  };

  const dispatch = (): void => {
    const text = data.length === 1 ? data[0]! : data.join('\n');
    const known = says || data.length > 0;
    const name = event === '' ? 'message' : event;
    lastId = id;
    data = [];
    event = '';
    says = false;
    eventBytes = 0;
    if (known) onEvent({ kind: text === '' ? 'empty' : 'message', event: name, data: text, id: lastId });
  };

  const endLine = (text: string, from: number, to: number): void => {
    if (line !== '') {
      const whole = line + text.slice(from, to);
      line = '';
      take(whole, 0, whole.length);
    } else if (from < to) take(text, from, to);
    else dispatch();
    lineBytes = 0;
  };

  const read = (text: string, ascii: boolean): void => {
    let from = afterReturn && text.startsWith('\n') ? 1 : 0;
    afterReturn = false;
    let feed = text.indexOf('\n', from);
    let carriage = text.indexOf('\r', from);
    while (feed !== -1 || carriage !== -1) {
      const returns = carriage !== -1 && (feed === -1 || carriage < feed);
      const end = returns ? carriage : feed;
      if (from < end) count(ascii ? end - from : bytesOf(text, from, end));
      endLine(text, from, end);
      from = end + 1;
      if (returns && feed === from) from++;
      afterReturn = returns && end + 1 === text.length;
      if (feed !== -1 && feed < from) feed = text.indexOf('\n', from);
      if (carriage !== -1 && carriage < from) carriage = text.indexOf('\r', from);
    }
    if (from === text.length) return;
    count(ascii ? text.length - from : bytesOf(text, from, text.length));
    line += text.slice(from);
  };

  return {
    get lastId() {
      return lastId;
    },
    get retry() {
      return retry;
    },
    push(chunk) {
      if (broken !== undefined) throw broken;
      const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const ascii = typeof chunk !== 'string' && isAscii(chunk, text);
      if (text === '') return;
      read(atStart && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, ascii);
      atStart = false;
    },
  };
};

/** One space after the colon is no part of the value. */
const valueAfter = (text: string, from: number, to: number): string =>
  text.slice(from < to && text.charCodeAt(from) === SPACE ? from + 1 : from, to);

/**
 * Tells whether decoded bytes are ASCII, without looking at each: then the text has one character for each byte.
 * Nothing may be left of an earlier chunk, or a character begun there would make up for a byte. Bytes that are no UTF-8 pass, too.
 */
const asciiWatch = (): ((chunk: Uint8Array, text: string) => boolean) => {
  let clean = true;
  return (chunk, text) => {
    const ascii = clean && text.length === chunk.length;
    if (chunk.length > 0) clean = chunk[chunk.length - 1]! < 0x80;
    return ascii;
  };
};

/**
 * Bytes of a part of a text in UTF-8. A surrogate counts two, so that a pair counts the same wherever it is cut;
 * U+FFFD counts one, as most of them stand for one byte that is no UTF-8.
 */
const bytesOf = (text: string, from: number, to: number): number => {
  let bytes = to - from;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f && code !== 0xfffd) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
};
