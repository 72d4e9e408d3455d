/** A word for a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A command for a POSIX shell: every word arrives as it is. */
export const commandOf = (words: readonly string[]): string => words.map(quoted).join(' ');

/**
 * JSON without characters that a terminal into which it is pasted acts on: they are written as escapes. Others of that sort cannot stand
 * in JSON.
 */
export const pasteable = (json: string): string =>
  json.replaceAll(/[\u007f-\u009f]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`);
