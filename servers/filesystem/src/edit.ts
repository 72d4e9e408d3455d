import { createTwoFilesPatch } from 'diff';
import { AccessError } from '../../shared/folders.ts';
import { placesOfRun } from './runs.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** Most edits in a call. */
export const MOST_EDITS = 100;
/** Most characters of a text to search for. */
export const MOST_OLD_TEXT = 200_000;
const MOST_SHOWN = 5;
/** A difference that takes longer to find is not shown. */
const MOST_DIFF_MS = 1_000;

type End = '\n' | '\r\n';
const withEnds = (text: string, end: End): string => text.replaceAll(/\r?\n/g, end);

/** How lines end around a place. */
const endAt = (text: string, at: number): End => {
  const next = text.indexOf('\n', at);
  const near = next === -1 ? text.lastIndexOf('\n', at) : next;
  return near > 0 && text[near - 1] === '\r' ? '\r\n' : '\n';
};

interface Place {
  readonly at: number;
  readonly length: number;
}

/** The places where a text is, however its lines end there. */
const placesOf = (text: string, wanted: string): Place[] => {
  const found = new Map<number, Place>();
  for (const end of wanted.includes('\n') ? (['\r\n', '\n'] as const) : (['\n'] as const)) {
    const one = withEnds(wanted, end);
    for (const at of placesOfRun(text, one)) if (!found.has(at)) found.set(at, { at, length: one.length });
  }
  return [...found.values()].sort((a, b) => a.at - b.at);
};

interface Line {
  readonly at: number;
  readonly text: string;
  readonly end: string;
}

const linesOf = (text: string): Line[] => {
  const lines: Line[] = [];
  for (let at = 0; at <= text.length;) {
    const feed = text.indexOf('\n', at);
    const stop = feed === -1 ? text.length : feed;
    const isPair = feed > at && text[feed - 1] === '\r';
    lines.push({ at, text: text.slice(at, isPair ? stop - 1 : stop), end: feed === -1 ? '' : isPair ? '\r\n' : '\n' });
    at = stop + 1;
  }
  return lines;
};

/** The lines that are the same as these but for the space before and after them. */
const similarLines = (lines: readonly Line[], wanted: readonly string[]): number[] =>
  placesOfRun(
    lines.map(({ text }) => text.trim()),
    wanted.map((line) => line.trim()),
  );

/** The new lines, moved to where the old ones stood. */
const indented = (first: string, wanted: readonly string[], fresh: readonly string[]): string[] => {
  const indent = /^\s*/.exec(first)![0];
  return fresh.map((line, index) => {
    if (index === 0) return indent + line.trimStart();
    const before = /^\s*/.exec(wanted[index] ?? '')![0];
    const now = /^\s*/.exec(line)![0];
    if (before === '' || now === '') return line;
    return indent + ' '.repeat(Math.max(0, now.length - before.length)) + line.trimStart();
  });
};

const ambiguous = (count: number, lines: readonly number[]): AccessError => {
  const more = count > lines.length ? ' and more' : '';
  return new AccessError(
    `The text is there ${count} times, at the lines ${lines.join(', ')}${more}: give more of what is around the one that is meant`,
  );
};

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

const edited = (text: string, { oldText, newText }: Edit): string => {
  if (oldText === '') throw new AccessError('`oldText` is empty: say what is to be replaced');
  const places = placesOf(text, oldText);
  const [place] = places;
  if (places.length > 1)
    throw ambiguous(
      places.length,
      places.slice(0, MOST_SHOWN).map(({ at }) => lineOf(text, at)),
    );
  if (place !== undefined)
    return text.slice(0, place.at) + withEnds(newText, endAt(text, place.at)) + text.slice(place.at + place.length);
  const lines = linesOf(text);
  const old = withEnds(oldText, '\n').split('\n');
  const similar = similarLines(lines, old);
  if (similar.length > 1)
    throw ambiguous(
      similar.length,
      similar.slice(0, MOST_SHOWN).map((at) => at + 1),
    );
  const [at] = similar;
  if (at === undefined) throw new AccessError(`Could not find exact match for edit:\n${oldText.slice(0, 2_000)}`);
  const first = lines[at]!;
  const last = lines[at + old.length - 1]!;
  const end: End = first.end === '' ? endAt(text, first.at) : (first.end as End);
  const fresh = indented(first.text, old, withEnds(newText, '\n').split('\n')).join(end);
  return text.slice(0, first.at) + fresh + text.slice(last.at + last.text.length);
};

/** Makes all edits, one after the other. Throws when one of them does not say exactly one place. Lines end as they did. */
export const applyEdits = (text: string, edits: readonly Edit[]): string =>
  edits.reduce((now, edit) => edited(now, edit), text);

/** What changed, as git shows it. */
export const diffOf = (path: string, before: string, after: string): string => {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  const patch =
    createTwoFilesPatch(path, path, plain(before), plain(after), 'original', 'modified', { timeout: MOST_DIFF_MS }) ??
    `(The difference is too large to show: ${before.split('\n').length} lines became ${after.split('\n').length}.)\n`;
  let fence = '```';
  while (patch.includes(fence)) fence += '`';
  return `${fence}diff\n${patch}${fence}\n\n`;
};
