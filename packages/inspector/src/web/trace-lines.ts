import type { CutLine } from '../api/views.ts';
import type { TraceSource } from '../session/contract.ts';
import { TURN_MS, type Turns } from './turns.ts';

/** What the texts of an answer have together, in characters. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** So much of a line is always there, however long those before it are. */
const ALWAYS = 2_000;

const cut = (line: CutLine, left: number): CutLine => {
  const { text, http } = line;
  if (text.length + (http?.body?.length ?? 0) <= left) return line;
  const shown = text.slice(0, left);
  return {
    ...line,
    text: shown,
    ...(http?.body === undefined ? {} : { http: { ...http, body: http.body.slice(0, left - shown.length) } }),
    cut: text.length + (http?.body?.length ?? 0),
  };
};

/** Whole lines by number. What is too long together is cut, and says so. Numbers that do not exist are left out. */
export const linesOf = async (
  trace: TraceSource,
  numbers: readonly number[],
  turns: Turns,
  signal: AbortSignal,
): Promise<readonly CutLine[]> => {
  const lines: CutLine[] = [];
  let left = MOST_CHARACTERS;
  let deadline = performance.now() + TURN_MS;
  for (const [i, n] of numbers.entries()) {
    const [whole] = trace.read(n, n);
    if (whole !== undefined) {
      const waiting = numbers.length - i - 1;
      const line = cut(whole, Math.max(ALWAYS, left - waiting * ALWAYS));
      left -= Math.min(left, line.text.length + (line.http?.body?.length ?? 0));
      lines.push(line);
    }
    if (performance.now() < deadline) continue;
    await turns.next();
    signal.throwIfAborted();
    deadline = performance.now() + TURN_MS;
  }
  return lines;
};
