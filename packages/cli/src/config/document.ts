export type Fields = Readonly<Record<string, unknown>>;

/** The content of a configuration file. */
export interface DocumentContent {
  /** All of its data. */
  readonly data: Fields;
  /** The servers by name: the fields that the host wrote, or any other value found there. */
  servers(): ReadonlyMap<string, unknown>;
}

/** A configuration file. An edit changes only the named server, and no other byte. */
export interface Document extends DocumentContent {
  /** The text with a server set, or removed if `fields` is undefined. Throws an `Error` with the reason if that is not possible. */
  set(name: string, fields: Fields | undefined): string;
}

/** A text that was read. */
export interface ReadText {
  readonly data: Fields;
  /**
   * The text with one server inserted, replaced or removed, and everything else unchanged. Undefined if the text does not allow it. Throws
   * an `Error` if there is a specific reason. The caller parses the result and compares it.
   */
  splice(name: string, fields: Fields | undefined): string | undefined;
}

/**
 * Reads the texts of one syntax. `member`: the member that contains the servers. Throws an `Error` with the reason if the syntax is
 * invalid.
 */
export type ReadSyntax = (text: string, member: string) => ReadText;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The line ending that a text uses. */
export function endOfLine(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** The spaces and tabs at the start of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0];
}
