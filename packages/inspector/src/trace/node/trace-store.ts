import type { Facts } from '../facts.ts';
import type { TraceHead, TraceLine } from '../line.ts';
import { createTraceIndex, type TraceIndex } from '../trace-index.ts';
import { createTraceWriter, type TraceSink, type TraceWriterOptions } from './trace-writer.ts';

/** A trace that grows: written to its file as it comes, read back from there. */
export interface TraceStore extends TraceSink {
  /** The path of the file. */
  readonly file: string;
  /** The first line of the file. */
  readonly head: TraceHead;
  /** The facts of all lines. */
  readonly index: TraceIndex;
  /** Lines by number, both included. What does not exist is left out. */
  read(from: number, to: number): TraceLine[];
  /** Is told of every line. Gives the function that ends it. */
  watch(listener: (line: TraceLine, facts: Facts) => void): () => void;
  /** Writes what waits. */
  flush(): void;
  /** Writes what waits, and closes the file. To append a line afterwards is an error. */
  close(): void;
}

/**
 * Begins a trace in a file that only its owner can read. Throws if the file exists, because a trace is never written over, and if it cannot
 * be written. When it can no longer be written later, the index and the listeners go on, `onFailure` is told, and lines that were not written
 * cannot be read. `by`: name and version of the program.
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
  /** Where each line begins in the file. */
  const offsets: number[] = [];
  const listeners = new Set<(line: TraceLine, facts: Facts) => void>();

  const tell = (line: TraceLine, facts: Facts): void => {
    for (const listener of listeners) {
      try {
        listener(line, facts);
      } catch {
        // Whoever looks on must not break what it looks at, nor keep others from seeing it.
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
      // What could not be written is not there to be read.
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
