export { decodeUtf8 } from '../../sdk/src/wire/utf8.ts';

/** Whether a text can be written as UTF-8: it has no lone surrogates, which would become another character. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
