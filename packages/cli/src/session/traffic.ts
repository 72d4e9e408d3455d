import { FRAMING, isFrameHeader } from '@tenon/values/framing';
import type { TraceEntry } from 'tenon/client';
import type { Observer } from './observer.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { createTraceLines } from './trace-lines.ts';

function isPlainEnd({ http }: TraceEntry): boolean {
  return http?.part === 'end' && http.error === undefined && http.left === undefined;
}

/** How many different lines are printed. */
const MAX_LINES = 10;
const MAX_LENGTH = 300;

/** Warns about input that is not protocol: each different line once, the first with what to do. */
function createJunkWarnings(screen: Screen, where: 'stdout' | 'an answer') {
  const hintFor = (text: string): string =>
    where !== 'stdout'
      ? ''
      : isFrameHeader(text)
        ? ` (${FRAMING.fix})`
        : ' (stdout is for messages only; log to stderr)';
  const into = where === 'stdout' ? 'to stdout' : 'into a response';
  const on = where === 'stdout' ? 'on stdout of the server' : 'in a response of the server';
  const printed = new Set<string>();
  let left = 0;
  return {
    warn({ kind, text }: TraceEntry): void {
      const line = oneLine(text, MAX_LENGTH);
      if (printed.has(line) || printed.size >= MAX_LINES) return void left++;
      printed.add(line);
      if (kind === 'lost') return screen.warn(`${on}: ${text}`);
      return screen.warn(
        `the server wrote something that is not protocol ${into}: ${line}${printed.size === 1 ? hintFor(text) : ''}`,
      );
    },
    end(count: number): void {
      if (left === 0) return;
      const what = where === 'stdout' ? 'lines on stdout' : 'parts of responses';
      screen.warn(`${count} ${what} were not protocol; --trace shows all of them`);
    },
  };
}

/** Passes traffic to the observer, and prints it with `--trace`; without it, prints warnings about lines that are not protocol. */
export function watchTraffic(
  observer: Observer,
  screen: Screen,
  trace: boolean,
  where: 'stdout' | 'an answer' = 'stdout',
) {
  const lines = createTraceLines(where);
  const junk = createJunkWarnings(screen, where);
  return {
    pass(entry: TraceEntry): void {
      const stray = observer.observe(entry);
      // The normal end of an HTTP exchange is not shown.
      if (isPlainEnd(entry)) return;
      if (trace) for (const line of lines.lines(entry, stray)) screen.line(line);
      else if (stray) junk.warn(entry);
    },
    end(): void {
      if (trace) for (const line of lines.rest()) screen.line(line);
      else junk.end(observer.junk);
    },
  };
}
