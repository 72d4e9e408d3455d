import type { Facts } from '../facts.ts';
import type { TraceHead, TraceLine } from '../line.ts';
import { createTraceIndex, type TraceIndex } from '../trace-index.ts';
import { createTraceWriter, type TraceSink, type TraceWriterOptions } from './trace-writer.ts';

/** A trace that grows: written to its file as it comes, read back from there. */
export interface TraceStore extends TraceSink {
  readonly file: string;
  readonly head: TraceHead;
  readonly index: TraceIndex;
  /** Lines by number, both included. What does not exist is left out. */
  read(from: number, to: number): TraceLine[];
  /** Is told of every line. Gives the function that ends it. */
  watch(listener: (line: TraceLine, facts: Facts) => void): () => void;
  flush(): void;
  close(): void;
}

/**
 * Begins a trace in a file that only its owner can read. Fails if the file exists: a trace is never written over. When the file can
 * no longer be written, the index and the listeners go on, `onFailure` is told, and lines that were not written cannot be read.
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
