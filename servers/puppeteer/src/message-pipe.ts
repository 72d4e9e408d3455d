// The connection to the browser: JSON messages between zero bytes, on two pipes. Pages decide what is in many of them and how long they are,
// so they are bounded before Playwright reads them.
import type { Readable, Writable } from 'node:stream';
import type { ConnectOverCDPTransport } from 'playwright-core';

/** The largest message of the browser, in bytes. A longer one ends the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Texts that a page writes to its console are cut to this length before anything keeps them. */
export const MAX_CONSOLE_TEXT = 10_000;
const MAX_CONSOLE_ARGUMENTS = 100;

/** The events with texts of the page. */
const CONSOLE_EVENTS = new Set(['Runtime.consoleAPICalled', 'Runtime.exceptionThrown', 'Log.entryAdded']);

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

/** Connects Playwright with the pipes of a browser. `onExcess` is called if a message is too long. */
export function createMessagePipe(from: Readable, to: Writable, onExcess: () => void): ConnectOverCDPTransport {
  let parts: Buffer[] = [];
  let size = 0;
  let isClosed = false;
  const transport: ConnectOverCDPTransport = {
    send(message) {
      if (!isClosed) to.write(`${JSON.stringify(message)}\0`);
    },
    close: () => void to.end(),
  };
  const deliver = (bytes: Buffer): void => {
    const message = JSON.parse(bytes.toString()) as Message;
    transport.onmessage?.(
      message.method !== undefined && CONSOLE_EVENTS.has(message.method) ? (clipped(message) as object) : message,
    );
  };
  from.on('data', (chunk: Buffer) => {
    if (isClosed) return;
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      parts.push(chunk.subarray(start, end));
      const bytes = Buffer.concat(parts);
      parts = [];
      size = 0;
      start = end + 1;
      // As Playwright's own pipe does: what one message causes happens before the next one arrives.
      setImmediate(deliver, bytes);
    }
    size += chunk.length - start;
    parts.push(chunk.subarray(start));
    if (size <= MAX_MESSAGE_BYTES) return;
    isClosed = true;
    parts = [];
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
