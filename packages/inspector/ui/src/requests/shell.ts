/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command for a POSIX shell that passes every word unchanged. */
export function commandOf(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/**
 * JSON without the control characters that a terminal would interpret when it is pasted: they are escaped. JSON cannot contain
 * other control characters.
 */
export function pasteable(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
}
