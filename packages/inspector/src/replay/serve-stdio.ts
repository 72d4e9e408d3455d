import type { Readable, Writable } from 'node:stream';
import { createByteLines } from '../record/byte-lines.ts';
import { MAX_MESSAGE_LENGTH } from '../record/tap-log.ts';
import type { Mock } from './mock.ts';

/** Serves one client on streams, one message per line. Resolves when the client is gone. */
export function serveMockStdio(mock: Mock, input: Readable, output: Writable): Promise<void> {
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
      // What is under way is finished first, as far as it does not wait for the client.
      setImmediate(over);
    });
    input.once('error', over);
    output.on('error', over);
  });
}
