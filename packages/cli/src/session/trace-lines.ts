import type { Passed } from './observer.ts';
import { printable } from '../terminal/printable.ts';

/** Formats traffic as lines of text. */
export interface TraceLines {
  /** The lines for one traffic event. `stray`: a line on stdout that is not a protocol message. */
  lines(passed: Passed, stray: boolean): string[];
  /** The remaining text: a last line of stderr without a line break. */
  rest(): string[];
}

/** The label of each kind. */
const MARKS = {
  open: 'start ',
  http: 'http  ',
  sent: '→',
  received: '←',
  junk: 'not protocol, on stdout:',
  lost: 'lost, on stdout:',
  stderr: 'stderr |',
  exit: 'exit  ',
} as const;

const TIME_WIDTH = 9;
/** A line of stderr is printed in parts of this length, in characters, so that a server without line breaks cannot exhaust memory. */
const MAX_STDERR_LENGTH = 64 * 1024;

export function createTraceLines(where: 'stdout' | 'an answer' = 'stdout'): TraceLines {
  let start: number | undefined;
  let begun = '';
  let begunAt = 0;

  const line = (at: number, mark: string, text: string): string => {
    start ??= at;
    return `${(at - start).toFixed(1).padStart(TIME_WIDTH)} ms  ${mark} ${printable(text).replaceAll('\n', '\\n')}`;
  };

  /** stderr arrives in chunks; the time of a line is that of its first chunk. */
  const stderr = (at: number, text: string): string[] => {
    start ??= at;
    if (begun === '') begunAt = at;
    const parts = (begun + text).split('\n');
    begun = parts.pop()!;
    const out = parts.map((part, index) => line(index === 0 ? begunAt : at, MARKS.stderr, part.replace(/\r$/, '')));
    if (parts.length > 0) begunAt = at;
    if (begun.length > MAX_STDERR_LENGTH) out.push(...rest());
    return out;
  };

  const rest = (): string[] => {
    if (begun === '') return [];
    const out = [line(begunAt, MARKS.stderr, begun)];
    begun = '';
    return out;
  };

  return {
    lines({ kind, at, text }, stray) {
      if (kind === 'stderr') return stderr(at, text);
      const own = line(
        at,
        MARKS[stray && kind === 'received' ? 'junk' : kind].replace('on stdout', () =>
          where === 'stdout' ? 'on stdout' : 'in an answer',
        ),
        text,
      );
      return kind === 'exit' ? [...rest(), own] : [own];
    },
    rest,
  };
}
