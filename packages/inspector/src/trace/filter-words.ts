/** A value of a term, and its position in the filter. In quotes a `*` is an ordinary character. */
export interface FilterValue {
  readonly text: string;
  readonly quoted: boolean;
  /** Counted from 1, for people. */
  readonly at: number;
}

/** A parsed term of a filter: `-key:value,value`, or a word. */
export interface FilterWord {
  readonly at: number;
  readonly negated: boolean;
  /** In lower case; undefined: a word to search for. */
  readonly key: string | undefined;
  readonly values: readonly FilterValue[];
}

/** A filter is invalid. The message says why, and where. */
export class FilterProblem extends Error {
  override readonly name = 'FilterProblem';
  constructor(at: number, message: string) {
    super(`Character ${at}: ${message}`);
  }
}

const MAX_CHARACTERS = 1_000;
const MAX_TERMS = 50;

const KEY = /^([a-z_][\w.-]*):/i;
const SPACE = /\s/;

/** Reads up to the closing quote; a backslash escapes the next character. */
function readQuoted(text: string, start: number): { value: string; end: number } {
  const quote = text[start]!;
  let value = '';
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i]!;
    if (character === quote) return { value, end: i + 1 };
    if (character === '\\' && i + 1 < text.length) value += text[++i]!;
    else value += character;
  }
  throw new FilterProblem(start + 1, `the quote ${quote} is not closed`);
}

function readValue(text: string, start: number, lists: boolean): { value: FilterValue; end: number } {
  const at = start + 1;
  if (text[start] === '"' || text[start] === "'") {
    const { value, end } = readQuoted(text, start);
    const next = text[end];
    if (next !== undefined && !SPACE.test(next) && !(lists && next === ','))
      throw new FilterProblem(end + 1, 'a space is missing after the closing quote');
    return { value: { text: value, quoted: true, at }, end };
  }
  const length = text.slice(start).search(lists ? /[\s,]/ : SPACE);
  const end = length < 0 ? text.length : start + length;
  return { value: { text: text.slice(start, end), quoted: false, at }, end };
}

/**
 * Splits a filter into its terms. `takesLists` returns whether a comma separates the values of a key.
 *
 * @throws FilterProblem for unclosed quotes, missing values, and filters that are too long.
 */
export function readFilterWords(text: string, takesLists: (key: string) => boolean): FilterWord[] {
  if (text.length > MAX_CHARACTERS)
    throw new FilterProblem(MAX_CHARACTERS + 1, `a filter may have ${MAX_CHARACTERS} characters`);
  const words: FilterWord[] = [];
  let place = 0;
  for (;;) {
    while (place < text.length && SPACE.test(text[place]!)) place++;
    if (place >= text.length) return words;
    const at = place + 1;
    if (words.length >= MAX_TERMS) throw new FilterProblem(at, `a filter may have ${MAX_TERMS} terms`);
    const negated = text[place] === '-';
    if (negated) place++;
    const key = KEY.exec(text.slice(place, place + 40))?.[1]?.toLowerCase();
    if (key !== undefined) place += key.length + 1;
    const lists = key !== undefined && takesLists(key);
    const values: FilterValue[] = [];
    for (;;) {
      const { value, end } = readValue(text, place, lists);
      if (value.text === '' && !value.quoted)
        throw new FilterProblem(value.at, key === undefined ? 'a word is missing after -' : `${key}: needs a value`);
      values.push(value);
      place = end;
      if (!lists || text[place] !== ',') break;
      place++;
    }
    words.push({ at, negated, key, values });
  }
}
