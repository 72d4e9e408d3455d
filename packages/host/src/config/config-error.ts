import type { ErrorCode } from '../values/error-codes.ts';

/** A position in a file. Lines and columns count from 1. */
export interface Position {
  /** The line, from 1. */
  readonly line: number;
  /** The column, from 1. */
  readonly column: number;
}

/**
 * A configuration, or one of its servers, cannot be used as it is. The message says what is wrong and what to do. It never contains a value
 * of the configuration, which may be a secret.
 */
export class ConfigError extends Error {
  /** Always `ConfigError`, for programs that cannot use `instanceof`. */
  override readonly name = 'ConfigError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'ConfigError'>;
  /** The file that it is about, if there is one. */
  readonly file: string | undefined;
  /** The line in the file, from 1, if it is known. */
  readonly line: number | undefined;
  /** The column in the line, from 1, if it is known. */
  readonly column: number | undefined;

  constructor(
    code: ErrorCode<'ConfigError'>,
    message: string,
    options: { readonly file?: string; readonly at?: Position; readonly cause?: unknown } = {},
  ) {
    const { file, at, cause } = options;
    const where = at === undefined ? '' : ` (line ${at.line}, column ${at.column})`;
    super(
      file === undefined ? message : `${shown(file, 500)}${where}: ${message}`,
      cause === undefined ? {} : { cause },
    );
    this.code = code;
    this.file = file;
    this.line = at?.line;
    this.column = at?.column;
  }
}

/** Prepares an untrusted text for a message: shortened, and with control characters escaped. */
export function shown(text: string, maxLength = 100): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.replaceAll(/[\p{C}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
