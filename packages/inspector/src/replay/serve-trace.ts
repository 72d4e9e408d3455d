import type { Readable, Writable } from 'node:stream';
import { createByteLines } from '../record/byte-lines.ts';
import { MAX_MESSAGE_LENGTH } from '../record/tap-log.ts';
import { type Conversation, conversationOf, type Recorded } from './conversation.ts';
import { createMock, type Mock, type MockOptions } from './mock.ts';
import { serveMockHttp, type ServedMock } from './serve-http.ts';

/** How a trace is served. */
export interface ServeTraceOptions extends MockOptions {
  /** The session of the trace. Required if it has several. */
  readonly session?: string;
}

/** Returns whether it was HTTP+SSE (2024-11-05), whose servers begin with the URL for messages. */
function wasSse({ index }: Recorded, { session, about, line }: Conversation): boolean {
  if (about?.transport !== 'http') return about?.transport === 'sse';
  for (const { n, session: own, kind, from, message } of index.all) {
    if (own !== session || from !== 'server') continue;
    if (message === 'response') return false;
    if (kind === 'http' && line(n).http?.event?.name === 'endpoint') return true;
  }
  return false;
}

/** The implementations; lazily.ts exports them. */
export function serveTrace(
  trace: Recorded,
  streams: { readonly input: Readable; readonly output: Writable },
  options: ServeTraceOptions = {},
): Promise<void> {
  return serveMockStdio(createMock(conversationOf(trace, options.session), options), streams.input, streams.output);
}

export async function serveTraceHttp(
  trace: Recorded,
  port: number,
  options: ServeTraceOptions = {},
): Promise<ServedMock> {
  const conversation = conversationOf(trace, options.session);
  if (wasSse(trace, conversation))
    options.onNote?.(
      'The trace is of HTTP with SSE, but served over Streamable HTTP: clients that support only the older one cannot connect',
    );
  return serveMockHttp(createMock(conversation, options), port);
}

/** Serves one client on streams, one message per line. Resolves when the client has gone. */
function serveMockStdio(mock: Mock, input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const send = (text: string): void | Promise<void> => {
      if (output.destroyed || output.write(`${text}\n`)) return undefined;
      return new Promise((taken) => {
        for (const event of ['drain', 'close', 'error']) output.once(event, () => taken());
      });
    };
    const connection = mock.connect(send);
    const lines = createByteLines(
      {
        line: (text) => {
          if (text.trim() !== '') connection.receive(text);
        },
        tooLong: () => connection.receive(''),
        endedOpen() {},
      },
      MAX_MESSAGE_LENGTH,
    );
    const over = (): void => {
      connection.close();
      resolve();
    };
    input.on('data', (chunk: Buffer) => lines.push(chunk));
    input.once('end', () => {
      lines.end();
      // Running work is finished first, unless it waits for the client.
      setImmediate(over);
    });
    input.once('error', over);
    output.on('error', over);
  });
}
