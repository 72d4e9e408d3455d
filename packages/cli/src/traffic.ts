import type { TraceEntry } from 'tenon/client';
import type { Observer } from './observer.ts';
import { oneLine } from './printable.ts';
import type { Screen } from './screen.ts';
import { createTraceLines } from './trace-lines.ts';

/** What passes, told to the trace, the observer and the person. */
export const watchTraffic = (seen: Observer, screen: Screen, trace: boolean) => {
  const lines = createTraceLines();
  return {
    pass(entry: TraceEntry): void {
      const stray = seen.see(entry);
      if (trace) for (const line of lines.lines(entry, stray)) screen.line(line);
      else if (stray && seen.junk === 1) {
        if (entry.kind === 'lost') screen.warn(`on stdout of the server: ${entry.text}`);
        else
          screen.warn(
            `the server wrote to stdout what is not protocol: ${oneLine(entry.text, 300)} (stdout is for messages only; log to stderr)`,
          );
      }
    },
    end(): void {
      if (trace) for (const line of lines.rest()) screen.line(line);
      else if (seen.junk > 1) screen.warn(`${seen.junk} lines on stdout were not protocol; --trace shows all of them`);
    },
  };
};
