import { usage } from '../failure/failure.ts';

/** Splits a command into words as a shell would. Only quotes and backslashes are special; variables and globs are not expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else if (sign === '\\' && quote === '"' && '"\\$`'.includes(text[at + 1] ?? ' ')) word += text[++at]!;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (sign === '\\' && at + 1 < text.length) word = (word ?? '') + text[++at]!;
    else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (quote !== undefined) throw usage(`A quote ${quote} is not closed`);
  if (word !== undefined) words.push(word);
  return words;
}
