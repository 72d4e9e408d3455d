import type { IncomingMessage } from 'node:http';

/** Most that is read of a body that nobody wants, in bytes and in milliseconds, and how long its sender may be silent. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_MS = 10_000;
const SILENT_MS = 1_000;

/**
 * Reads the rest of a body and throws it away, within bounds. To close a connection on which the peer is still sending takes away the
 * answer that it has not read yet (RFC 9112, section 9.6). `done` is called once.
 */
export function discardRest(request: IncomingMessage, done: () => void): void {
  const until = performance.now() + MOST_MS;
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', end).off('close', end);
    done();
  };
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    timer.refresh();
    if (bytes > MOST_BYTES || performance.now() > until) end();
  };
  const timer = setTimeout(end, SILENT_MS).unref();
  request.on('data', onData).once('end', end).once('close', end).on('error', ignore);
  request.resume();
}

const ignore = (): void => {};
