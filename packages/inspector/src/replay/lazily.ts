import type { Recorded } from './conversation.ts';
import type { ReplayRow } from './request-log.ts';
import type { ReplayTarget, ReplayTraceOptions } from './replay-trace.ts';
import type { ServedMock } from './serve-http.ts';
import type { ServeTraceOptions, serveTrace as Serve } from './serve-trace.ts';

// The implementations are loaded on first use: a program that records must start fast.

/**
 * Sends the messages of a trace's client to a server, and compares the answers with the recorded ones. The trace must be indexed.
 * Rejects with a `ConversationError` if the session cannot be determined, with the error of a server that does not start or
 * cannot be reached, and with the reason of the signal.
 *
 * @example
 * ```ts
 * import { openTrace, replayTrace } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * await trace.indexed;
 * const rows = await replayTrace(trace, { command: { command: 'node', args: ['server.js'] } });
 * const wrong = rows.filter(({ status }) => status !== 'same');
 * ```
 */
export async function replayTrace(
  trace: Recorded,
  target: ReplayTarget,
  options?: ReplayTraceOptions,
): Promise<ReplayRow[]> {
  return (await import('./replay-trace.ts')).replayTrace(trace, target, options);
}

/**
 * Acts as the server of a trace on streams: answers requests as they were answered. Resolves when the client has gone. The trace
 * must be indexed. Rejects with a `ConversationError` if the session cannot be determined.
 *
 * @example
 * ```ts
 * import { openTrace, serveTrace } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * await trace.indexed;
 * await serveTrace(trace, { input: process.stdin, output: process.stdout });
 * ```
 */
export async function serveTrace(...args: Parameters<typeof Serve>): Promise<void> {
  return (await import('./serve-trace.ts')).serveTrace(...args);
}

/**
 * The same over HTTP, on this machine. Also rejects if the port is not available.
 *
 * @example
 * ```ts
 * import { openTrace, serveTraceHttp } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * await trace.indexed;
 * const { url } = await serveTraceHttp(trace, 8080);
 * console.error(`Connect to ${url}`);
 * ```
 */
export async function serveTraceHttp(trace: Recorded, port: number, options?: ServeTraceOptions): Promise<ServedMock> {
  return (await import('./serve-trace.ts')).serveTraceHttp(trace, port, options);
}
