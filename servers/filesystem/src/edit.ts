import { createTwoFilesPatch } from 'diff';
import { AccessError } from '../../shared/folders.ts';
import { findAll } from './find-all.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** Maximum number of edits in a call. */
export const MAX_EDITS = 100;
/** Maximum length of a text to search for, in characters. */
export const MAX_OLD_TEXT_LENGTH = 200_000;
const MAX_SHOWN = 5;
/** Timeout for computing the diff, in milliseconds; then none is shown. */
const DIFF_TIMEOUT_MS = 1_000;

type End = '\n' | '\r\n';
function withEnds(text: string, end: End): string {
  return text.replaceAll(/\r?\n/g, end);
}

/** The line ending used near a position. */
function endAt(text: string, at: number): End {
  const next = text.indexOf('\n', at);
  const near = next === -1 ? text.lastIndexOf('\n', at) : next;
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n';
}

interface Place {
  readonly at: number;
  readonly length: number;
}

/** All occurrences of a text, with either line ending. */
function placesOf(text: string, wanted: string): Place[] {
  const found = new Map<number, Place>();
  for (const end of wanted.includes('\n') ? (['\r\n', '\n'] as const) : (['\n'] as const)) {
    const one = withEnds(wanted, end);
    for (const at of findAll(text, one)) if (!found.has(at)) found.set(at, { at, length: one.length });
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
}

interface Line {
  readonly at: number;
  readonly text: string;
  readonly end: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at <= text.length;) {
    const feed = text.indexOf('\n', at);
    const stop = feed === -1 ? text.length : feed;
    const isPair = feed > at && text[feed - 1] === '\r';
    lines.push({ at, text: text.slice(at, isPair ? stop - 1 : stop), end: feed === -1 ? '' : isPair ? '\r\n' : '\n' });
    at = stop + 1;
  }
  return lines;
}

/** The lines that equal the wanted ones except for white space at their start and end. */
function similarLines(lines: readonly Line[], wanted: readonly string[]): number[] {
  return findAll(
    lines.map(({ text }) => text.trim()),
    wanted.map((line) => line.trim()),
  );
}

/** The new lines, with the indentation of the old ones. */
function indented(first: string, wanted: readonly string[], fresh: readonly string[]): string[] {
  const indent = /^\s*/.exec(first)![0];
  return fresh.map((line, index) => {
    if (index === 0) return indent + line.trimStart();
    const before = /^\s*/.exec(wanted[index] ?? '')![0];
    const now = /^\s*/.exec(line)![0];
    if (before === '' || now === '') return line;
    return indent + ' '.repeat(Math.max(0, now.length - before.length)) + line.trimStart();
  });
}

function ambiguous(count: number, lines: readonly number[]): AccessError {
  const more = count > lines.length ? ' and more' : '';
  return new AccessError(
    `The text occurs ${count} times, at lines ${lines.join(', ')}${more}: include more of the text around the intended one`,
  );
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function edited(text: string, { oldText, newText }: Edit): string {
  if (oldText === '') throw new AccessError('`oldText` is empty: give the text to replace');
  const places = placesOf(text, oldText);
  const [place] = places;
  if (places.length > 1)
    throw ambiguous(
      places.length,
      places.slice(0, MAX_SHOWN).map(({ at }) => lineOf(text, at)),
    );
  if (place !== undefined)
    return text.slice(0, place.at) + withEnds(newText, endAt(text, place.at)) + text.slice(place.at + place.length);
  const lines = linesOf(text);
  const old = withEnds(oldText, '\n').split('\n');
  const similar = similarLines(lines, old);
  if (similar.length > 1)
    throw ambiguous(
      similar.length,
      similar.slice(0, MAX_SHOWN).map((at) => at + 1),
    );
  const [at] = similar;
  if (at === undefined) throw new AccessError(`Could not find exact match for edit:\n${oldText.slice(0, 2_000)}`);
  const first = lines[at]!;
  const last = lines[at + old.length - 1]!;
  const end: End = first.end === '' ? endAt(text, first.at) : (first.end as End);
  const fresh = indented(first.text, old, withEnds(newText, '\n').split('\n')).join(end);
  return text.slice(0, first.at) + fresh + text.slice(last.at + last.text.length);
}

/** Applies all edits in order, and keeps line endings. Throws if one of them does not match exactly once. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return edits.reduce((now, edit) => edited(now, edit), text);
}

/** The changes as a git-style diff in a Markdown code block. */
export function diffOf(path: string, before: string, after: string): string {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  const patch =
    createTwoFilesPatch(path, path, plain(before), plain(after), 'original', 'modified', {
      timeout: DIFF_TIMEOUT_MS,
    }) ?? `(The diff is too large to show: ${before.split('\n').length} lines became ${after.split('\n').length}.)\n`;
  let fence = '```';
  while (patch.includes(fence)) fence += '`';
  return `${fence}diff\n${patch}${fence}\n\n`;
}
