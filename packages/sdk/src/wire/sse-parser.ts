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

const SPACE = 0x20;
const FEED = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';
const MARK_BYTES = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);
/** Timers cannot wait longer, so clients do not either. */
const MAX_RETRY_MS = 2 ** 31 - 1;

/**
 * An incremental parser of event streams (HTML Standard, "Interpreting an event stream"). Keeps at most one unfinished event.
 *
 * - Lines end with `\n`, `\r` or `\r\n`; an event is emitted as soon as its last line has ended, whatever the boundaries of chunks.
 * - An event that is unfinished when the stream ends is dropped.
 * - The kept lines of one event have at most `maxBytes` bytes of UTF-8; so has any single line.
 * - Chunks are bytes or strings, not both in one stream. An event with bytes that are not UTF-8 is emitted as `invalid`, without its data,
 * and an id that is not UTF-8 is ignored.
 *
 * The constructor throws a `TypeError` if `maxBytes` is not a positive integer.
 *
 * @example
 * ```ts
 * const parser = new SseParser((event) => event.kind === 'message' && receive(event.data));
 * for await (const chunk of response.body) parser.push(chunk);
 * ```
 */
export class SseParser {
  readonly #onEvent: (event: SseEvent) => void;
  readonly #maxBytes: number;
  #atStart = true;
  /** The bytes of a character that continues in the next chunk. */
  #begun = NOTHING;
  /** The last chunk ended with `\r`: a `\n` that follows belongs to it. */
  #afterReturn = false;
  #broken: SseError | undefined;
  /** The part of a line that began in an earlier chunk. */
  #line = '';
  /** The bytes of the current line, and of the kept lines of the current event. */
  #lineBytes = 0;
  #eventBytes = 0;
  #data: string[] = [];
  #event = '';
  /** Does the current line, or a kept line of the current event, contain bytes that are not UTF-8? */
  #badLine = false;
  #badEvent = false;
  /** Becomes the last id when the event ends. */
  #id = '';
  #hasId = false;
  #lastId = '';
  #retry: number | undefined;

  constructor(onEvent: (event: SseEvent) => void, options: { readonly maxBytes?: number } = {}) {
    const { maxBytes = DEFAULT_LIMITS.lineBytes } = options;
    if (!Number.isSafeInteger(maxBytes) || maxBytes <= 0)
      throw new TypeError(`maxBytes must be a positive integer, got ${maxBytes}`);
    this.#onEvent = onEvent;
    this.#maxBytes = maxBytes;
  }

  /** The last id of the stream, from which to resume it; empty if there is none. */
  get lastId(): string {
    return this.#lastId;
  }

  /** How long the server asks clients to wait before they reconnect, in milliseconds; undefined if it has not asked. */
  get retry(): number | undefined {
    return this.#retry;
  }

  /** Parses the next chunk and emits the events that it completes. Throws an `SseError`, then and for every later chunk. */
  push(chunk: Uint8Array | string): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (typeof chunk === 'string') return this.#readText(chunk, false);
    const bytes = this.#begun.length === 0 ? chunk : joinBytes([this.#begun, chunk]);
    const whole = wholeCharacters(bytes);
    this.#begun = whole === bytes.length ? NOTHING : bytes.slice(whole);
    this.#readBytes(bytes.subarray(0, whole));
  }

  #readBytes(bytes: Uint8Array): void {
    const text = decodeUtf8(bytes);
    // Text with multibyte characters has fewer characters than bytes.
    if (text !== undefined) return this.#readText(text, text.length === bytes.length);
    let from = this.#atStart && MARK_BYTES.every((byte, at) => bytes[at] === byte) ? MARK_BYTES.length : 0;
    this.#atStart = false;
    while (from < bytes.length) {
      const part = bytes.subarray(from, (from = endOfLine(bytes, from)));
      const line = decodeUtf8(part);
      this.#badLine ||= line === undefined;
      // Where lines end, and how long they are, does not depend on the encoding: latin1 has one character for each byte.
      this.#read(line ?? new TextDecoder('latin1').decode(part), line === undefined || line.length === part.length);
    }
  }

  #readText(text: string, ascii: boolean): void {
    if (text === '') return;
    const from = this.#atStart && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    this.#atStart = false;
    this.#read(from === 0 ? text : text.slice(from), ascii);
  }

  #read(text: string, ascii: boolean): void {
    let from = this.#afterReturn && text.startsWith('\n') ? 1 : 0;
    this.#afterReturn = false;
    let feed = text.indexOf('\n', from);
    let carriage = text.indexOf('\r', from);
    while (feed !== -1 || carriage !== -1) {
      const returns = carriage !== -1 && (feed === -1 || carriage < feed);
      const end = returns ? carriage : feed;
      if (from < end) this.#count(ascii ? end - from : bytesOf(text, from, end));
      this.#endLine(text, from, end);
      from = end + 1;
      if (returns && feed === from) from++;
      this.#afterReturn = returns && end + 1 === text.length;
      if (feed !== -1 && feed < from) feed = text.indexOf('\n', from);
      if (carriage !== -1 && carriage < from) carriage = text.indexOf('\r', from);
    }
    if (from === text.length) return;
    this.#count(ascii ? text.length - from : bytesOf(text, from, text.length));
    this.#line += text.slice(from);
  }

  #count(bytes: number): void {
    this.#lineBytes += bytes;
    if (this.#lineBytes + this.#eventBytes <= this.#maxBytes) return;
    this.#broken = new SseError(this.#maxBytes);
    this.#line = '';
    this.#data = [];
    throw this.#broken;
  }

  #endLine(text: string, from: number, to: number): void {
    if (this.#line !== '') {
      const whole = this.#line + text.slice(from, to);
      this.#line = '';
      this.#take(whole, 0, whole.length);
    } else if (from < to) this.#take(text, from, to);
    else this.#dispatch();
    this.#lineBytes = 0;
    this.#badLine = false;
  }

  /** Handles the line in this part of a text: almost always data. */
  #take(text: string, from: number, to: number): void {
    if (text.startsWith('data:', from)) return this.#field('data', valueAfter(text, from + 5, to));
    const whole = text.slice(from, to);
    const colon = whole.indexOf(':');
    if (colon === -1) this.#field(whole, '');
    else if (colon > 0) this.#field(whole.slice(0, colon), valueAfter(whole, colon + 1, whole.length));
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) {
      if (!this.#badLine) this.#id = value;
      this.#hasId = true;
    } else if (name !== 'retry') return;
    else if (/^[0-9]+$/.test(value)) this.#retry = Math.min(Number(value), MAX_RETRY_MS);
    this.#eventBytes += this.#lineBytes + 1;
    this.#badEvent ||= this.#badLine;
  }

  #dispatch(): void {
    const text = this.#badEvent ? '' : this.#data.length === 1 ? this.#data[0]! : this.#data.join('\n');
    const kind = this.#badEvent ? 'invalid' : text === '' ? 'empty' : 'message';
    const known = this.#hasId || this.#data.length > 0;
    const event = this.#event === '' ? 'message' : this.#event;
    this.#lastId = this.#id;
    this.#data = [];
    this.#event = '';
    this.#hasId = false;
    this.#eventBytes = 0;
    this.#badEvent = false;
    if (known) this.#onEvent({ kind, event, data: text, id: this.#lastId });
  }
}

/** One space after the colon does not belong to the value. */
function valueAfter(text: string, from: number, to: number): string {
  return text.slice(from < to && text.charCodeAt(from) === SPACE ? from + 1 : from, to);
}

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
