import { escapeHidden } from '@tenon/values/hidden';
import { sha256 } from '../values/sha256.ts';

/** Maximum lines of a difference, and of one added or removed block if the difference is longer. */
const MAX_LINES = 400;
const MAX_RUN_LINES = 100;
/** Characters of an entry that are compared. The rest is represented by a digest, so that a change of it is visible. */
const MAX_CHARACTERS = 200_000;
/** Maximum pairs of lines that are compared. */
const MAX_PAIRS = 4_000_000;
/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;
/** Lines are wrapped at a space after the soft width, and anywhere after the hard width. */
const SOFT_WIDTH = 90;
const HARD_WIDTH = 120;

interface Change {
  readonly mark: '-' | '+' | ' ';
  readonly line: string;
}

function formatCount(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

/** Wraps a line of JSON after escaped line breaks, and where it is too long, so that changes in a long text are visible. */
function wrapLine(line: string): string[] {
  const indent = /^ */.exec(line)![0].slice(0, HARD_WIDTH / 2);
  const pieces: string[] = [];
  let piece = '';
  let isEmpty = false;
  // Keep an escape sequence together.
  for (const [sign] of line.matchAll(/\\u\{?[0-9a-f]{4,6}\}?|\\.|./gsu)) {
    piece += sign;
    isEmpty = false;
    if (sign !== '\\n' && piece.length < HARD_WIDTH && (piece.length < SOFT_WIDTH || sign !== ' ')) continue;
    pieces.push(piece);
    piece = `${indent}    `;
    isEmpty = true;
  }
  return isEmpty ? pieces : [...pieces, piece];
}

function linesOf(json: string | undefined): string[] {
  if (json === undefined) return [];
  const text = JSON.stringify(JSON.parse(json), undefined, 2);
  const lines = text
    .slice(0, MAX_CHARACTERS)
    .split('\n')
    .flatMap((line) => wrapLine(escapeHidden(line)));
  const rest = text.slice(MAX_CHARACTERS);
  return rest === ''
    ? lines
    : [...lines, `… ${formatCount(rest.length, 'more character')}, with SHA-256 ${sha256(rest)}`];
}

function changes(mark: Change['mark'], lines: readonly string[]): Change[] {
  return lines.map((line) => ({ mark, line }));
}

/** The table of a longest common subsequence: its length for the lines after each pair. */
function commonAfter(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const table = new Uint16Array((before.length + 1) * width);
  for (let left = before.length - 1; left >= 0; left--) {
    for (let right = after.length - 1; right >= 0; right--) {
      const at = left * width + right;
      table[at] =
        before[left] === after[right] ? table[at + width + 1]! + 1 : Math.max(table[at + width]!, table[at + 1]!);
    }
  }
  return table;
}

function aligned(before: readonly string[], after: readonly string[]): Change[] {
  const table = commonAfter(before, after);
  const width = after.length + 1;
  const result: Change[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const at = left * width + right;
    if (left < before.length && right < after.length && before[left] === after[right]) {
      result.push({ mark: ' ', line: before[left++]! });
      right++;
    } else if (right >= after.length || (left < before.length && table[at + width]! >= table[at + 1]!))
      result.push({ mark: '-', line: before[left++]! });
    else result.push({ mark: '+', line: after[right++]! });
  }
  return result;
}

/** The lines that occur more often than in the other list. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

/** The difference of texts that are too long to be aligned. Takes linear time, and still shows all new lines as added. */
function unaligned(before: readonly string[], after: readonly string[]): Change[] {
  const found = [...changes('-', without(before, after)), ...changes('+', without(after, before))];
  return found.length > 0 ? found : changes('+', ['… the same lines in a different order']);
}

function compared(before: readonly string[], after: readonly string[]): Change[] {
  const common = Math.min(before.length, after.length);
  let start = 0;
  while (start < common && before[start] === after[start]) start++;
  let end = 0;
  while (end < common - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [left, right] = [before, after].map((lines) => lines.slice(start, lines.length - end)) as [string[], string[]];
  const compare = left.length * right.length <= MAX_PAIRS ? aligned : unaligned;
  return [
    ...changes(' ', before.slice(0, start)),
    ...compare(left, right),
    ...changes(' ', before.slice(before.length - end)),
  ];
}

/** Groups adjacent changes of the same kind. */
function runsOf(all: readonly Change[]): Change[][] {
  const runs: Change[][] = [];
  for (const change of all) {
    const last = runs.at(-1);
    if (last?.[0]!.mark === change.mark) last.push(change);
    else runs.push([change]);
  }
  return runs;
}

/** Omits unchanged lines that are not near a change. */
function shortened(run: readonly Change[], isFirst: boolean, isLast: boolean): Change[] {
  if (run[0]!.mark !== ' ') return [...run];
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  const omitted = run.length - head - tail;
  if (omitted <= 1) return [...run];
  const note = `… ${formatCount(omitted, 'line')} unchanged`;
  return [...run.slice(0, head), ...changes(' ', [note]), ...run.slice(run.length - tail)];
}

/** Shortens a long block, so that removed lines do not leave too little room for added ones. */
function trimmed(run: readonly Change[]): Change[] {
  const { mark } = run[0]!;
  const omitted = run.length - MAX_RUN_LINES;
  if (omitted <= 1) return [...run];
  const what = mark === '-' ? 'removed' : 'added';
  return [...run.slice(0, MAX_RUN_LINES), ...changes(mark, [`… ${formatCount(omitted, 'more line')} ${what}`])];
}

/**
 * The difference of two JSON texts for a person: lines that begin with `-`, `+` or a space, at most 400. Invisible characters are escaped.
 * Without an earlier text, all lines are new. Empty if the texts are equal.
 */
export function differenceOf(before: string | undefined, after: string): string[] {
  if (before === after) return [];
  const runs = runsOf(compared(linesOf(before), linesOf(after)));
  let all = runs.map((run, index) => shortened(run, index === 0, index === runs.length - 1));
  if (all.flat().length > MAX_LINES) all = all.map(trimmed);
  const lines = all.flat().map(({ mark, line }) => `${mark} ${line}`);
  if (lines.length <= MAX_LINES) return lines;
  const omitted = lines.length - MAX_LINES + 1;
  return [...lines.slice(0, MAX_LINES - 1), `  … ${formatCount(omitted, 'more line')} not shown`];
}
