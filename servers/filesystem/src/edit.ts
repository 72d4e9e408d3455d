import { createTwoFilesPatch } from 'diff';
import { AccessError } from '../../shared/folders.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

const MOST_SHOWN = 5;

/** Lines end as they did: only what is edited changes. */
const endOf = (text: string): '\n' | '\r\n' => (/\r\n/.test(text) && !/[^\r]\n/.test(text) ? '\r\n' : '\n');
const withEnds = (text: string, end: string): string => (end === '\n' ? text : text.replaceAll(/\r?\n/g, end));

/** The places where a text is. */
const placesOf = (text: string, wanted: string): number[] => {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
};

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The lines that are the same as these but for the space before and after them. */
const similarLines = (lines: readonly string[], wanted: readonly string[]): number[] => {
  const places: number[] = [];
  for (let at = 0; at + wanted.length <= lines.length; at++)
    if (wanted.every((line, index) => line.trim() === lines[at + index]!.trim())) places.push(at);
  return places;
};

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

const ambiguous = (lines: readonly number[]): AccessError => {
  const shown = lines.slice(0, MOST_SHOWN).join(', ');
  const more = lines.length > MOST_SHOWN ? ' and more' : '';
  return new AccessError(
    `The text is there ${lines.length} times, at the lines ${shown}${more}: give more of what is around the one that is meant`,
  );
};

const edited = (text: string, { oldText, newText }: Edit, end: '\n' | '\r\n'): string => {
  if (oldText === '') throw new AccessError('`oldText` is empty: say what is to be replaced');
  const wanted = withEnds(oldText, end);
  const places = placesOf(text, wanted);
  if (places.length > 1) throw ambiguous(places.map((at) => lineOf(text, at)));
  const fresh = withEnds(newText, end);
  const [place] = places;
  if (place !== undefined) return text.slice(0, place) + fresh + text.slice(place + wanted.length);
  const lines = text.split(end);
  const old = wanted.split(end);
  const similar = similarLines(lines, old);
  if (similar.length > 1) throw ambiguous(similar.map((at) => at + 1));
  const [at] = similar;
  if (at === undefined) throw new AccessError(`Could not find exact match for edit:\n${oldText}`);
  lines.splice(at, old.length, ...indented(lines[at]!, old, fresh.split(end)));
  return lines.join(end);
};

/** Makes all edits, one after the other. Throws when one of them does not say exactly one place. */
export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  const end = endOf(text);
  return edits.reduce((now, edit) => edited(now, edit, end), text);
};

/** What changed, as git shows it. */
export const diffOf = (path: string, before: string, after: string): string => {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  const patch = createTwoFilesPatch(path, path, plain(before), plain(after), 'original', 'modified');
  let fence = '```';
  while (patch.includes(fence)) fence += '`';
  return `${fence}diff\n${patch}${fence}\n\n`;
};
