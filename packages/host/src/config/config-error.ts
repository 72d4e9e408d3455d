/** Where in a file, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * A configuration, or a server in it, that cannot be used as it is. The message says what is wrong and what to do, and never repeats
 * a value: it may be a secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, options: { file?: string; at?: Position; cause?: unknown } = {}) {
    const { file, at, cause } = options;
    const where = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`;
    super(
      file === undefined ? message : `${shown(file, 500)}${where}: ${message}`,
      cause === undefined ? {} : { cause },
    );
    this.file = file;
    this.line = at?.line;
    this.column = at?.column;
  }
}

/** A text of somebody else in a message: short, and without what a terminal would act on. */
export const shown = (text: string, most = 100): string => {
  const short = text.length > most ? `${text.slice(0, most)}…` : text;
  return short.replaceAll(/[\p{C}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
};
