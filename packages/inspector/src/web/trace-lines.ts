import type { CutLine } from '../api/views.ts';
import type { TraceSource } from '../session/contract.ts';
import { TURN_MS, type Turns } from './turns.ts';

/** The most characters of text in one answer. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Every line gets at least this many characters, however long the previous ones are. */
const MIN_CHARACTERS = 2_000;

function cut(line: CutLine, left: number): CutLine {
  const { text, http } = line;
  if (text.length + (http?.body?.length ?? 0) <= left) return line;
  const shown = text.slice(0, left);
  return {
    ...line,
    text: shown,
    http: http?.body === undefined ? http : { ...http, body: http.body.slice(0, left - shown.length) },
    cut: text.length + (http?.body?.length ?? 0),
  };
}

/**
 * Whole lines by number. If the texts are too long together, they are cut, and marked as cut. Numbers without a line are left
 * out.
 */
export async function linesOf(
  trace: TraceSource,
  numbers: readonly number[],
  turns: Turns,
  signal: AbortSignal,
): Promise<readonly CutLine[]> {
  const lines: CutLine[] = [];
  let left = MAX_CHARACTERS;
  let deadline = performance.now() + TURN_MS;
  for (const [i, n] of numbers.entries()) {
    const [whole] = trace.read(n, n);
    if (whole !== undefined) {
      const waiting = numbers.length - i - 1;
      const line = cut(whole, Math.max(MIN_CHARACTERS, left - waiting * MIN_CHARACTERS));
      left -= Math.min(left, line.text.length + (line.http?.body?.length ?? 0));
      lines.push(line);
    }
    if (performance.now() < deadline) continue;
    await turns.next();
    signal.throwIfAborted();
    deadline = performance.now() + TURN_MS;
  }
  return lines;
}
