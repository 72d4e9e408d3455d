import type { Facts } from '../facts.ts';
import type { TraceHead, TraceLine } from '../line.ts';
import { createTraceIndex, type TraceIndex } from '../trace-index.ts';
import { createTraceWriter, type TraceSink, type TraceWriterOptions } from './trace-writer.ts';

/** A growing trace: written to its file as lines arrive, and read back from there. */
export interface TraceStore extends TraceSink {
  /** The path of the file. */
  readonly file: string;
  /** The first line of the file. */
  readonly head: TraceHead;
  /** The facts of all lines. */
  readonly index: TraceIndex;
  /** The lines in a range of numbers, both ends included. Lines that do not exist are left out. */
  read(from: number, to: number): TraceLine[];
  /** Calls the listener with every new line. Returns a function that unsubscribes. */
  watch(listener: (line: TraceLine, facts: Facts) => void): () => void;
  /** Writes the buffered lines. */
  flush(): void;
  /** Writes the buffered lines, and closes the file. Appending a line afterwards is an error. */
  close(): void;
}

/**
 * Creates a trace in a file that only its owner can read. Throws if the file exists, because a trace is never overwritten, and if
 * it cannot be written. If writing fails later, the index and the listeners continue, `onFailure` is called, and the unwritten
 * lines cannot be read. `by`: name and version of the program.
 *
 * @example
 * ```ts
 * import { createTraceStore } from '@tenon/inspector';
 *
 * const store = createTraceStore('weather.mcptrace', 'my tool 1.0');
 * const unwatch = store.watch((line, { method }) => console.error(line.n, method));
 * ```
 */
export function createTraceStore(file: string, by: string, options: TraceWriterOptions = {}): TraceStore {
  const writer = createTraceWriter(file, by, options);
  const index = createTraceIndex();
  /** The offset of each line in the file. */
  const offsets: number[] = [];
  const listeners = new Set<(line: TraceLine, facts: Facts) => void>();

  const tell = (line: TraceLine, facts: Facts): void => {
    for (const listener of listeners) {
      try {
        listener(line, facts);
      } catch {
        // A listener must not break the recording, or affect other listeners.
      }
    }
  };

  return {
    file,
    head: writer.head,
    index,
    now: () => writer.now(),
    append(line) {
      const begin = writer.end;
      const appended = writer.append(line);
      if (writer.failure === undefined) offsets.push(begin);
      tell(appended, index.add(appended));
      return appended;
    },
    read(from, to) {
      writer.flush();
      // Lines that could not be written cannot be read.
      const kept = writer.failure === undefined ? offsets.length : offsets.findLastIndex((at) => at < writer.end) + 1;
      const first = Math.max(1, from);
      const last = Math.min(kept, to);
      if (first > last) return [];
      const bytes = writer.bytes(offsets[first - 1]!, offsets[last] ?? writer.end);
      return bytes
        .toString()
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text) as TraceLine);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}
