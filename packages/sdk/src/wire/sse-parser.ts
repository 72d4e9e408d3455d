import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { joinBytes } from './byte-pieces.ts';
import { decodeUtf8 } from './utf8.ts';

/** A received event. */
export interface SseEvent {
  /**
   * `message`: it has data. `empty`: it has no data; it primes a stream for resumption, or only sets an id. `invalid`: some of its bytes
   * are not UTF-8, so its data is left out.
   */
  readonly kind: 'message' | 'empty' | 'invalid';
  /** The name of the event; `message` if it has none. */
  readonly event: string;
  readonly data: string;
  /** The last id of the stream so far, this event included; empty if there was none. */
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

/** Splits a stream into events. Keeps at most one unfinished event. */
export interface SseParser {
  /** Parses the next chunk and emits the events that it completes. Throws an `SseError`, then and for every later chunk. */
  push(chunk: Uint8Array | string): void;
  /** The last id of the stream, from which to resume it; empty if there is none. */
  readonly lastId: string;
  /** How long the server asks clients to wait before they reconnect, in milliseconds; undefined if it has not asked. */
  readonly retry: number | undefined;
}

const SPACE = 0x20;
const FEED = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';
const MARK_BYTES = [0xef, 0xbb, 0xbf];
/** Timers cannot wait longer, so clients do not either. */
const MAX_RETRY_MS = 2 ** 31 - 1;

/**
 * An incremental parser of event streams (HTML Standard, "Interpreting an event stream").
 *
 * - Lines end with `\n`, `\r` or `\r\n`; an event is emitted as soon as its last line has ended, whatever the boundaries of chunks.
 * - An event that is unfinished when the stream ends is dropped.
 * - The kept lines of one event have at most `maxBytes` bytes of UTF-8; so has any single line.
 * - Chunks are bytes or strings, not both in one stream. An event with bytes that are not UTF-8 is emitted as `invalid`, without its data,
 * and an id that is not UTF-8 is ignored.
 *
 * Throws a `TypeError` if `maxBytes` is not a positive integer.
 *
 * @example
 * ```ts
 * const parser = createSseParser((event) => event.kind === 'message' && receive(event.data));
 * for await (const chunk of response.body) parser.push(chunk);
 * ```
 */
export function createSseParser(
  onEvent: (event: SseEvent) => void,
  options: { readonly maxBytes?: number } = {},
): SseParser {
  const { maxBytes = DEFAULT_LIMITS.lineBytes } = options;
  if (!Number.isSafeInteger(maxBytes) || maxBytes <= 0)
    throw new TypeError(`maxBytes must be a positive integer, got ${maxBytes}`);
  let atStart = true;
  /** The bytes of a character that continues in the next chunk. */
  let begun = NOTHING;
  /** The last chunk ended with `\r`: a `\n` that follows belongs to it. */
  let afterReturn = false;
  let broken: SseError | undefined;
  /** The part of a line that began in an earlier chunk. */
  let line = '';
  /** The bytes of the current line, and of the kept lines of the current event. */
  let lineBytes = 0;
  let eventBytes = 0;
  let data: string[] = [];
  let event = '';
  /** Does the current line, or a kept line of the current event, contain bytes that are not UTF-8? */
  let badLine = false;
  let badEvent = false;
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
      if (!badLine) id = value;
      says = true;
    } else if (name !== 'retry') return;
    else if (/^[0-9]+$/.test(value)) retry = Math.min(Number(value), MAX_RETRY_MS);
    eventBytes += lineBytes + 1;
    badEvent ||= badLine;
  };

  /** Handles the line in this part of a text: almost always data. */
  const take = (text: string, from: number, to: number): void => {
    if (text.startsWith('data:', from)) return field('data', valueAfter(text, from + 5, to));
    const whole = text.slice(from, to);
    const colon = whole.indexOf(':');
    if (colon === -1) field(whole, '');
    else if (colon > 0) field(whole.slice(0, colon), valueAfter(whole, colon + 1, whole.length));
  };

  const dispatch = (): void => {
    const text = badEvent ? '' : data.length === 1 ? data[0]! : data.join('\n');
    const kind = badEvent ? 'invalid' : text === '' ? 'empty' : 'message';
    const known = says || data.length > 0;
    const name = event === '' ? 'message' : event;
    lastId = id;
    data = [];
    event = '';
    says = false;
    eventBytes = 0;
    badEvent = false;
    if (known) onEvent({ kind, event: name, data: text, id: lastId });
  };

  const endLine = (text: string, from: number, to: number): void => {
    if (line !== '') {
      const whole = line + text.slice(from, to);
      line = '';
      take(whole, 0, whole.length);
    } else if (from < to) take(text, from, to);
    else dispatch();
    lineBytes = 0;
    badLine = false;
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

  const readText = (text: string, ascii: boolean): void => {
    if (text === '') return;
    const from = atStart && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    atStart = false;
    read(from === 0 ? text : text.slice(from), ascii);
  };

  const readBytes = (bytes: Uint8Array): void => {
    const text = decodeUtf8(bytes);
    // Text with multibyte characters has fewer characters than bytes.
    if (text !== undefined) return readText(text, text.length === bytes.length);
    let from = atStart && MARK_BYTES.every((byte, at) => bytes[at] === byte) ? MARK_BYTES.length : 0;
    atStart = false;
    while (from < bytes.length) {
      const part = bytes.subarray(from, (from = endOfLine(bytes, from)));
      const line = decodeUtf8(part);
      badLine ||= line === undefined;
      // Where lines end, and how long they are, does not depend on the encoding: latin1 has one character for each byte.
      read(line ?? new TextDecoder('latin1').decode(part), line === undefined || line.length === part.length);
    }
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
      if (typeof chunk === 'string') return readText(chunk, false);
      const bytes = begun.length === 0 ? chunk : joinBytes([begun, chunk]);
      const whole = wholeCharacters(bytes);
      begun = whole === bytes.length ? NOTHING : bytes.slice(whole);
      readBytes(bytes.subarray(0, whole));
    },
  };
}

/** One space after the colon does not belong to the value. */
function valueAfter(text: string, from: number, to: number): string {
  return text.slice(from < to && text.charCodeAt(from) === SPACE ? from + 1 : from, to);
}

const NOTHING = new Uint8Array(0);

/** How many of the bytes are complete characters: up to three at the end may begin one that continues in the next chunk. */
function wholeCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return back < (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4) ? length - back : length;
  }
  return length;
}

/** The index after the next line break, or after the last byte. */
function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== FEED && bytes[at] !== RETURN) at++;
  return Math.min(at + 1, bytes.length);
}

/** The size of a part of a text in UTF-8. Each surrogate counts two bytes, so that a pair counts the same wherever it is split. */
function bytesOf(text: string, from: number, to: number): number {
  let bytes = to - from;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
