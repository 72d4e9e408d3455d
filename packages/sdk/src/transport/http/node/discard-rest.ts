import type { IncomingMessage } from 'node:http';

/** Limits for reading an unused body: bytes, total milliseconds, and milliseconds without data. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 10_000;
const MAX_SILENT_MS = 1_000;

/**
 * Reads the rest of a body and discards it, within limits. If a connection is closed while the peer is still sending, the peer may lose the
 * response that it has not read yet (RFC 9112, section 9.6). `done` is called once.
 */
export function discardRest(request: IncomingMessage, done: () => void): void {
  const until = performance.now() + MAX_MS;
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', end).off('close', end);
    done();
  };
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    timer.refresh();
    if (bytes > MAX_BYTES || performance.now() > until) end();
  };
  const timer = setTimeout(end, MAX_SILENT_MS).unref();
  request.on('data', onData).once('end', end).once('close', end).on('error', ignore);
  request.resume();
}

function ignore(): void {}
