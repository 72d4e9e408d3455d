import type { Readable, Writable } from 'node:stream';
import { conversationOf, type Recorded } from './conversation.ts';
import { createMock, type MockOptions } from './mock.ts';
import { serveMockHttp, type ServedMock } from './serve-http.ts';
import { serveMockStdio } from './serve-stdio.ts';

export interface ServeTraceOptions extends MockOptions {
  /** Which session of the trace. Needed where it has several. */
  readonly session?: string;
}

/** See lazily.ts, by which others get at these. */
export const serveTrace = (
  trace: Recorded,
  streams: { readonly input: Readable; readonly output: Writable },
  options: ServeTraceOptions = {},
): Promise<void> =>
  serveMockStdio(createMock(conversationOf(trace, options.session), options), streams.input, streams.output);

export const serveTraceHttp = async (
  trace: Recorded,
  port: number,
  options: ServeTraceOptions = {},
): Promise<ServedMock> => serveMockHttp(createMock(conversationOf(trace, options.session), options), port);
