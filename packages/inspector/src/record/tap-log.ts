import { StringDecoder } from 'node:string_decoder';
import type { Side } from '../trace/line.ts';
import type { TraceSink } from '../trace/node/trace-writer.ts';
import { createByteLines } from './byte-lines.ts';
import { saysJsonRpc } from './says-json-rpc.ts';
import type { Redactor } from './redact.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createSafely } from './safely.ts';

/** Receives the bytes that pass a tap, and writes them as lines. Never throws. */
export interface TapLog {
  /** The server was started. */
  open(command: string): void;
  /** A chunk that a side wrote. */
  push(from: Side, chunk: Buffer): void;
  /** A side will write no more. */
  end(from: Side): void;
  stderr(chunk: Buffer): void;
  note(text: string): void;
  /** The server ended. */
  close(exit: { readonly code: number | null; readonly signal: string | null }): void;
}

export interface TapLogOptions {
  readonly sink: TraceSink;
  readonly redactor: Redactor;
  readonly name: string;
  readonly target: string;
  readonly onFailure?: (error: unknown) => void;
}

/** The longest message that is recorded, in bytes. */
export const MAX_MESSAGE_LENGTH = 10 * 1024 * 1024;
/** A partial line is reported after this many milliseconds without more input. */
const STUCK_MS = 2_000;
/** How often invalid UTF-8 is reported. */
const MAX_INEXACT = 10;

const STREAMS: Readonly<Record<Side, string>> = { client: 'stdin', server: 'stdout' };

/** One direction of the conversation. */
function createDirection(from: Side, recorder: Recorder) {
  const where = `${STREAMS[from]} of the server`;
  let inexact = 0;
  let last: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const note = (text: string): void => {
    recorder.write({ kind: 'note', from, text, cause: last });
  };

  const lines = createByteLines(
    {
      line(text, exact) {
        last = recorder.write({ kind: exact && saysJsonRpc(text) ? 'message' : 'junk', from, text }).n;
        if (!exact && ++inexact <= MAX_INEXACT)
          note(`This line on ${where} is not UTF-8: U+FFFD replaces the unreadable parts`);
      },
      tooLong: (beginning) =>
        void recorder.write({
          kind: 'lost',
          from,
          text: `A line of more than ${MAX_MESSAGE_LENGTH} bytes on ${where}. It begins: ${beginning}`,
        }),
      endedOpen: () => note(`${where} ended here, without a line break`),
    },
    MAX_MESSAGE_LENGTH,
  );

  const stuck = (): void => {
    timer = undefined;
    if (lines.begun > 0)
      note(`${lines.begun} bytes of a line that has not ended, on ${where}: ${lines.beginning().trimEnd()}`);
  };

  return {
    push(chunk: Buffer): void {
      lines.push(chunk);
      clearTimeout(timer);
      timer = lines.begun === 0 ? undefined : setTimeout(stuck, STUCK_MS).unref();
    },
    end(): void {
      clearTimeout(timer);
      lines.end();
    },
  };
}

export function createTapLog({ sink, redactor, name, target, onFailure }: TapLogOptions): TapLog {
  const safely = createSafely(onFailure);
  let recorder!: Recorder;
  let directions!: Readonly<Record<Side, ReturnType<typeof createDirection>>>;
  safely(() => {
    recorder = createRecorder(sink, name, { name, transport: 'stdio', target, recorder: 'tap' }, redactor);
    directions = { client: createDirection('client', recorder), server: createDirection('server', recorder) };
  })();
  const decoder = new StringDecoder('utf8');
  const tell = (kind: 'open' | 'stderr' | 'exit', text: string): void => recorder.onTrace({ kind, text });

  return {
    open: safely((command) => tell('open', command)),
    push: safely((from, chunk) => directions[from].push(chunk)),
    end: safely((from) => {
      directions[from].end();
      if (from === 'client') recorder.write({ kind: 'note', from, text: 'The client closed the stdin of the server' });
    }),
    stderr: safely((chunk) => tell('stderr', decoder.write(chunk))),
    note: safely((text) => void recorder.write({ kind: 'note', text })),
    close: safely(({ code, signal }) => {
      directions.client.end();
      directions.server.end();
      tell('exit', signal === null ? `exited with code ${code}` : `ended by ${signal}`);
    }),
  };
}
