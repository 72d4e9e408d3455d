import type { Readable, Writable } from 'node:stream';
import { conversationOf, type Recorded } from './conversation.ts';
import { createMock, type MockOptions } from './mock.ts';
import { serveMockHttp, type ServedMock } from './serve-http.ts';
import { serveMockStdio } from './serve-stdio.ts';

export interface ServeTraceOptions extends MockOptions {
  /** Which session of the trace. Needed where it has several. */
  readonly session?: string;
}

/**
 * Is the server of a trace, on streams: answers what its client asked as it was answered. Resolves when the client is gone. The trace must
 * be indexed. Throws a `ConversationError` if its session cannot be told.
 */
export const serveTrace = (
  trace: Recorded,
  streams: { readonly input: Readable; readonly output: Writable },
  options: ServeTraceOptions = {},
): Promise<void> =>
  serveMockStdio(createMock(conversationOf(trace, options.session), options), streams.input, streams.output);

/** The same over HTTP, on this machine. Rejects if the port cannot be listened at. */
export const serveTraceHttp = async (
  trace: Recorded,
  port: number,
  options: ServeTraceOptions = {},
): Promise<ServedMock> => serveMockHttp(createMock(conversationOf(trace, options.session), options), port);
