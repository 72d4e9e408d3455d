import { escapeHidden } from '@tenon/values/hidden';
import { sha256 } from '../values/sha256.ts';

/** Most lines of a difference, and of what is added or removed in one place where there are more. */
const MAX_LINES = 400;
const MAX_RUN_LINES = 100;
/** Most characters of an entry that are compared. What is after them has a digest, so that a change of it shows. */
const MAX_CHARACTERS = 200_000;
/** Most pairs of lines that are compared. */
const MAX_PAIRS = 4_000_000;
/** Lines that are the same, shown around a change. */
const CONTEXT = 3;
/** Lines are broken from here on at a space, and from there on anywhere. */
const SOFT_WIDTH = 90;
const HARD_WIDTH = 120;

interface Change {
  readonly mark: '-' | '+' | ' ';
  readonly line: string;
}

const counted = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;

/** Breaks a line of JSON after the line breaks that are written in it, and where it is too long: what changes in a long text is to be seen. */
const wrapLine = (line: string): string[] => {
  const indent = /^ */.exec(line)![0].slice(0, HARD_WIDTH / 2);
  const pieces: string[] = [];
  let piece = '';
  let isEmpty = false;
  // An escape stays in one piece.
  for (const [sign] of line.matchAll(/\\u\{?[0-9a-f]{4,6}\}?|\\.|./gsu)) {
    piece += sign;
    isEmpty = false;
    if (sign !== '\\n' && piece.length < HARD_WIDTH && (piece.length < SOFT_WIDTH || sign !== ' ')) continue;
    pieces.push(piece);
    piece = `${indent}    `;
    isEmpty = true;
  }
  return isEmpty ? pieces : [...pieces, piece];
};

function linesOf(json: string | undefined): string[] {
  if (json === undefined) return [];
  const text = JSON.stringify(JSON.parse(json), undefined, 2);
  const lines = text
    .slice(0, MAX_CHARACTERS)
    .split('\n')
    .flatMap((line) => wrapLine(escapeHidden(line)));
  const rest = text.slice(MAX_CHARACTERS);
  return rest === '' ? lines : [...lines, `… ${counted(rest.length, 'more character')}, with SHA-256 ${sha256(rest)}`];
}

const changes = (mark: Change['mark'], lines: readonly string[]): Change[] => lines.map((line) => ({ mark, line }));

/** Lengths of the longest lines in common of what comes after each pair of lines. */
const commonAfter = (before: readonly string[], after: readonly string[]): Uint16Array => {
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
};

const aligned = (before: readonly string[], after: readonly string[]): Change[] => {
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
};

/** The lines that are not among the others, as often as they are there more often. */
const without = (lines: readonly string[], others: readonly string[]): string[] => {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
};

/** For what is too long to be aligned: in linear time, and what is new is still all of what is shown as new. */
const unaligned = (before: readonly string[], after: readonly string[]): Change[] => {
  const found = [...changes('-', without(before, after)), ...changes('+', without(after, before))];
  return found.length > 0 ? found : changes('+', ['… the same lines, in another order']);
};

const compared = (before: readonly string[], after: readonly string[]): Change[] => {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const [left, right] = [before, after].map((lines) => lines.slice(start, lines.length - end)) as [string[], string[]];
  const compare = left.length * right.length <= MAX_PAIRS ? aligned : unaligned;
  return [
    ...changes(' ', before.slice(0, start)),
    ...compare(left, right),
    ...changes(' ', before.slice(before.length - end)),
  ];
};

/** Neighbours of one kind, together. */
const runsOf = (all: readonly Change[]): Change[][] => {
  const runs: Change[][] = [];
  for (const change of all) {
    const last = runs.at(-1);
    if (last?.[0]!.mark === change.mark) last.push(change);
    else runs.push([change]);
  }
  return runs;
};

/** Leaves out what is the same and not beside a change. */
const shortened = (run: readonly Change[], isFirst: boolean, isLast: boolean): Change[] => {
  if (run[0]!.mark !== ' ') return [...run];
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  const gone = run.length - head - tail;
  if (gone <= 1) return [...run];
  const note = `… ${counted(gone, 'line')} that ${gone === 1 ? 'is' : 'are'} the same`;
  return [...run.slice(0, head), ...changes(' ', [note]), ...run.slice(run.length - tail)];
};

/** Of very much in one place, the beginning: so that what is removed does not leave what is added without room. */
const trimmed = (run: readonly Change[]): Change[] => {
  const { mark } = run[0]!;
  const gone = run.length - MAX_RUN_LINES;
  if (gone <= 1) return [...run];
  const what = mark === '-' ? 'removed' : 'added';
  return [...run.slice(0, MAX_RUN_LINES), ...changes(mark, [`… ${counted(gone, 'more line')} ${what}`])];
};

/**
 * What changed from one JSON text to another, for a person: lines that begin with `-`, `+` or a space, at most 400. Characters that cannot be
 * seen are escapes. Without a text from before, all of the other one is new. Empty where the texts are equal.
 */
export function differenceOf(before: string | undefined, after: string): string[] {
  if (before === after) return [];
  const runs = runsOf(compared(linesOf(before), linesOf(after)));
  let all = runs.map((run, index) => shortened(run, index === 0, index === runs.length - 1));
  if (all.flat().length > MAX_LINES) all = all.map(trimmed);
  const lines = all.flat().map(({ mark, line }) => `${mark} ${line}`);
  if (lines.length <= MAX_LINES) return lines;
  const gone = lines.length - MAX_LINES + 1;
  return [
    ...lines.slice(0, MAX_LINES - 1),
    `  … ${counted(gone, 'more line')} that ${gone === 1 ? 'is' : 'are'} not shown`,
  ];
}
