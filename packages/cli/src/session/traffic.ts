import type { TraceEntry } from 'tenon/client';
import type { Observer } from './observer.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { createTraceLines } from './trace-lines.ts';

function isPlainEnd({ http }: TraceEntry): boolean {
  return http?.part === 'end' && http.error === undefined && http.left === undefined;
}

/** Passes traffic to the observer, and prints it with `--trace`; without it, prints a warning about lines that are not protocol. */
export function watchTraffic(
  observer: Observer,
  screen: Screen,
  trace: boolean,
  where: 'stdout' | 'an answer' = 'stdout',
) {
  const lines = createTraceLines(where);
  const hint = where === 'stdout' ? ' (stdout is for messages only; log to stderr)' : '';
  return {
    pass(entry: TraceEntry): void {
      const stray = observer.observe(entry);
      // The normal end of an HTTP exchange is not shown.
      if (isPlainEnd(entry)) return;
      if (trace) for (const line of lines.lines(entry, stray)) screen.line(line);
      else if (stray && observer.junk === 1) {
        if (entry.kind === 'lost')
          screen.warn(
            `${where === 'stdout' ? 'on stdout of the server' : 'in a response of the server'}: ${entry.text}`,
          );
        else
          screen.warn(
            `the server wrote something that is not protocol ${where === 'stdout' ? 'to stdout' : 'into a response'}: ${oneLine(entry.text, 300)}${hint}`,
          );
      }
    },
    end(): void {
      if (trace) for (const line of lines.rest()) screen.line(line);
      else if (observer.junk > 1)
        screen.warn(
          `${observer.junk} ${where === 'stdout' ? 'lines on stdout' : 'parts of responses'} were not protocol; --trace shows all of them`,
        );
    },
  };
}
