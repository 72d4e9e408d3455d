/** An event to send. */
export interface SseFields {
  readonly event?: string;
  readonly data?: string;
  readonly id?: string;
  /** How long to wait before reconnecting, in milliseconds. */
  readonly retry?: number;
}

const LINE_BREAK = /\r\n|\r|\n/;

/** The event with a message, as `sseEvent` writes it, but faster: JSON that this server encoded is one line. */
export function messageEvent(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

/**
 * Returns a function that writes the events of a resumable stream, whose ids are a name that this server generated and a number. Without a
 * message it is the event that begins the stream.
 */
export function numberedEvents(name: string): (at: number, message: string) => string {
  // `join` gives a text in one piece, which is faster to use again and again than a concatenation.
  const head = ['event: message\nid: ', name].join('');
  return (at, message) => (message === '' ? ssePriming(`${name}${at}`) : `${head}${at}\ndata: ${message}\n\n`);
}

/**
 * An event as text (HTML Standard, "Server-sent events"). Data of several lines becomes several `data` lines; every line break arrives as `\n`.
 * Throws a `TypeError` for a name or id with a line break, an id with a NUL, or a `retry` that is not an integer: receivers would ignore them.
 *
 * @example sseEvent({ event: 'message', id: '7', data: '{"jsonrpc":"2.0","id":1,"result":{}}' })
 */
export function sseEvent({ event, data, id, retry }: SseFields): string {
  let text = '';
  if (event !== undefined) text += `event: ${oneLine('event', event)}\n`;
  if (id !== undefined) text += `id: ${oneLine('id', id)}\n`;
  if (retry !== undefined) text += `retry: ${wholeNumber(retry)}\n`;
  if (data !== undefined) text += dataLines(data);
  return `${text}\n`;
}

/**
 * The event that begins a resumable stream: an id and empty data (2025-11-25, "Sending Messages to the Server"). It is not sent to clients
 * of earlier revisions, which may treat the empty data as a broken message.
 */
export function ssePriming(id: string, retry?: number): string {
  return sseEvent(retry === undefined ? { id, data: '' } : { id, retry, data: '' });
}

/**
 * A comment: clients ignore it, but it keeps proxies from closing a quiet stream. No empty line follows it: some clients take that for an event
 * without data.
 */
export const SSE_KEEP_ALIVE = ':\n';

function dataLines(data: string): string {
  return LINE_BREAK.test(data)
    ? data
        .split(LINE_BREAK)
        .map((line) => `data: ${line}\n`)
        .join('')
    : `data: ${data}\n`;
}

function oneLine(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${field} of an event must not contain a line break or NUL`);
  return value;
}

function wholeNumber(retry: number): number {
  if (!Number.isSafeInteger(retry) || retry < 0) throw new TypeError(`retry must be whole milliseconds, got ${retry}`);
  return retry;
}
