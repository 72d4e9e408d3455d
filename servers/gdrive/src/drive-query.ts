// Drive's query language ("Search query terms and operators").

/** A text as a string of the language. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (character) => `\\${character}`)}'`;
}

export const FOLDER = 'application/vnd.google-apps.folder';

/** Files, also folders, with this text in their names or contents. */
export function containing(text: string): string {
  return `fullText contains ${quoted(text)} and trashed = false`;
}

/** Everything that can be read. */
export const READABLE = `mimeType != ${quoted(FOLDER)} and trashed = false`;
