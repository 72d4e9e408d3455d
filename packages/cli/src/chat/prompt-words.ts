/** The arguments typed after the name of a prompt: `city=Oslo note="two words"`. */
export interface PromptWords {
  readonly args: Readonly<Record<string, string>>;
  /** Words that are not `name=value`. */
  readonly stray: readonly string[];
}

/** A word: unquoted and quoted parts without a space between them. */
const WORD = /(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g;

function unquoted(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"?/g, (_, inner: string) => inner.replace(/\\(.)/g, '$1'));
}

/** Quotes a value for `name=value`, if needed. */
export function quoted(value: string): string {
  return value === '' || /[\s"\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}

function argumentOf(word: string): readonly [string, string] | undefined {
  const at = word.indexOf('=');
  return at <= 0 ? undefined : [word.slice(0, at), unquoted(word.slice(at + 1))];
}

/** The words of a text. Quotes keep spaces in a word. */
export function textsIn(text: string): string[] {
  return (text.match(WORD) ?? []).map(unquoted);
}

export function wordsOf(text: string): PromptWords {
  const words = text.match(WORD) ?? [];
  return {
    // Not by assignment, because an argument may be called __proto__.
    args: Object.fromEntries(words.flatMap((word) => [argumentOf(word) ?? []].filter((pair) => pair.length === 2))),
    stray: words.filter((word) => argumentOf(word) === undefined),
  };
}

/** The word being typed, and where it begins. */
export function lastWord(text: string): { readonly word: string; readonly from: number } {
  const last = [...text.matchAll(WORD)].at(-1);
  if (last === undefined || last.index + last[0].length < text.length) return { word: '', from: text.length };
  return { word: last[0], from: last.index };
}
