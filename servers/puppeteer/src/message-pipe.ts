// The connection to the browser: JSON messages between zero bytes, on two pipes. Pages decide what is in many of them and how long they are,
// so they are bounded before Playwright reads them.
import type { Readable, Writable } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';

/** The largest message of the browser, in bytes. A longer one ends the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Texts that a page writes to its console are cut to this length before anything keeps them. */
export const MAX_CONSOLE_TEXT = 10_000;
const MAX_CONSOLE_ARGUMENTS = 100;
/** A longer event about the console is not read at all, in bytes: several copies of it would be in memory at a time. */
const MAX_CONSOLE_BYTES = 2 * 1024 * 1024;

/** The events with texts of the page. */
const CONSOLE_EVENTS = new Set(['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded']);

/** How such an event begins, as the browser writes it. */
const CONSOLE_START = new RegExp(`^\\{"method":"(?:${[...CONSOLE_EVENTS].join('|').replaceAll('.', '\\.')})"`);
const START_BYTES = 100;
/** How much of the end is kept: the session is there. */
const END_BYTES = 200;

/** What is delivered in place of an event that is too long. */
function omitted(end: Buffer): object {
  const [, sessionId] = /"sessionId":"(\w+)"\}$/.exec(end.toString('latin1')) ?? [];
  const text = 'A message of more than 2 MiB is not shown';
  const entry = { source: 'other', level: 'warning', text, timestamp: Date.now() };
  return { method: 'Log.entryAdded', params: { entry }, sessionId };
}

/** Cuts all texts in a message, and drops arguments that are too many. */
function clipped(value: unknown): unknown {
  if (typeof value === 'string') {
    // A slice would keep the whole text in memory.
    return value.length > MAX_CONSOLE_TEXT ? Buffer.from(value.slice(0, MAX_CONSOLE_TEXT)).toString() : value;
  }
  if (Array.isArray(value)) return value.slice(0, MAX_CONSOLE_ARGUMENTS).map(clipped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clipped(member)]));
}

interface Message {
  readonly method?: string;
}

/** The message that is being received. */
class Incoming {
  #parts: Buffer[] = [];
  #start = Buffer.alloc(0);
  /** The end of a message that is not kept. */
  #end: Buffer | undefined;
  size = 0;

  add(part: Buffer): void {
    this.size += part.length;
    if (this.#start.length < START_BYTES)
      this.#start = Buffer.concat([this.#start, part.subarray(0, START_BYTES - this.#start.length)]);
    if (this.#end === undefined) this.#parts.push(part);
    else this.#end = Buffer.concat([this.#end, part.subarray(-END_BYTES)]).subarray(-END_BYTES);
    if (
      this.#end !== undefined ||
      this.size <= MAX_CONSOLE_BYTES ||
      !CONSOLE_START.test(this.#start.toString('latin1'))
    )
      return;
    this.#end = Buffer.from(part.subarray(-END_BYTES));
    this.#parts = [];
  }

  /** Whether it is kept, and too long. */
  get isExcess(): boolean {
    return this.#end === undefined && this.size > MAX_MESSAGE_BYTES;
  }

  /** The message when it is complete. */
  message(): object {
    if (this.#end !== undefined) return omitted(this.#end);
    const message = JSON.parse(Buffer.concat(this.#parts).toString()) as Message;
    return message.method !== undefined && CONSOLE_EVENTS.has(message.method) ? (clipped(message) as object) : message;
  }
}

/** Connects Playwright with the pipes of a browser. `onExcess` is called if a message is too long. */
export function createMessagePipe(from: Readable, to: Writable, onExcess: () => void): ConnectOverCDPTransport {
  let incoming = new Incoming();
  let isClosed = false;
  const transport: ConnectOverCDPTransport = {
    send(message) {
      if (!isClosed) to.write(`${JSON.stringify(message)}\0`);
    },
    close: () => void to.end(),
  };
  const deliver = (complete: Incoming): void => transport.onmessage?.(complete.message());
  from.on('data', (chunk: Buffer) => {
    if (isClosed) return;
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      incoming.add(chunk.subarray(start, end));
      start = end + 1;
      // As Playwright's own pipe does: what one message causes happens before the next one arrives.
      setImmediate(deliver, incoming);
      incoming = new Incoming();
    }
    incoming.add(chunk.subarray(start));
    if (!incoming.isExcess) return;
    isClosed = true;
    incoming = new Incoming();
    onExcess();
  });
  const end = (): void => {
    isClosed = true;
    setImmediate(() => transport.onclose?.());
  };
  from.on('error', () => {}).once('close', end);
  to.on('error', () => {});
  return transport;
}
