import type { TraceEntry } from 'tenon/client';
import type { Observer } from './observer.ts';
import { oneLine } from './printable.ts';
import type { Screen } from './screen.ts';
import { createTraceLines } from './trace-lines.ts';

const isPlainEnd = ({ http }: TraceEntry): boolean =>
  http?.part === 'end' && http.error === undefined && http.left === undefined;

/** What passes, told to the trace, the observer and the person. */
export const watchTraffic = (
  seen: Observer,
  screen: Screen,
  trace: boolean,
  where: 'stdout' | 'an answer' = 'stdout',
) => {
  const lines = createTraceLines(where);
  const hint = where === 'stdout' ? ' (stdout is for messages only; log to stderr)' : '';
  return {
    pass(entry: TraceEntry): void {
      const stray = seen.see(entry);
      // That an exchange ended as it should is no news.
      if (isPlainEnd(entry)) return;
      if (trace) for (const line of lines.lines(entry, stray)) screen.line(line);
      else if (stray && seen.junk === 1) {
        if (entry.kind === 'lost')
          screen.warn(
            `${where === 'stdout' ? 'on stdout of the server' : 'in an answer of the server'}: ${entry.text}`,
          );
        else
          screen.warn(
            `the server wrote ${where === 'stdout' ? 'to stdout' : 'into an answer'} what is not protocol: ${oneLine(entry.text, 300)}${hint}`,
          );
      }
    },
    end(): void {
      if (trace) for (const line of lines.rest()) screen.line(line);
      else if (seen.junk > 1)
        screen.warn(
          `${seen.junk} ${where === 'stdout' ? 'lines on stdout' : 'parts of answers'} were not protocol; --trace shows all of them`,
        );
    },
  };
};
