/** A word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command for a POSIX shell: every word arrives as it is. */
export function commandOf(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/**
 * JSON without characters that a terminal into which it is pasted acts on: they are written as escapes. Others of that sort cannot stand
 * in JSON.
 */
export function pasteable(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
}
