// oxlint-disable no-bitwise -- The low byte of an error code of SQLite is its kind.

import { fullError, StoreError } from '../store-error.ts';

/** The kinds of errors of SQLite (https://sqlite.org/rescode.html). */
const SQLITE = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, tooBig: 18, notADatabase: 26 };

/** The kind of an error of SQLite; undefined for any other error. */
function kindOf(error: unknown): number | undefined {
  const { code, errcode } = (error ?? {}) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Is another process writing, so that it is worth trying again? */
export function isBusy(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === SQLITE.busy || kind === SQLITE.locked;
}

/** Is the disk full? */
export function isFull(error: unknown): boolean {
  return kindOf(error) === SQLITE.full;
}

/** Is the file not a SQLite database? */
export function isNoDatabase(error: unknown): boolean {
  return kindOf(error) === SQLITE.notADatabase;
}

/** Can the file alone not be read, because a journal beside it has to be applied first, or because it is damaged? */
export function isIncomplete(error: unknown): boolean {
  const kind = kindOf(error);
  return kind === SQLITE.corrupt || kind === SQLITE.readOnly;
}

/** Translates an error of SQLite or the file system for the store in this file. Other errors are returned unchanged. */
export function explained(error: unknown, path: string): unknown {
  const cause = { cause: error };
  switch (kindOf(error)) {
    case undefined:
      return fileError(error, path);
    case SQLITE.full:
      return fullError(
        `The disk is full: ${path} cannot grow. Make room on it; nothing that was stored is lost.`,
        cause,
      );
    case SQLITE.tooBig:
      return new RangeError(`The value is larger than SQLite can store in ${path}`, cause);
    case SQLITE.readOnly:
      return readOnly(path, error);
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return new StoreError(
        'damaged',
        `${path} is damaged: ${(error as Error).message}. Put back a copy of it, or move it away to begin with an empty store.`,
        cause,
      );
    default:
      return new StoreError('failed', `${path} cannot be used: ${(error as Error).message}`, cause);
  }
}

function fileError(error: unknown, path: string): unknown {
  const { code, syscall, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return readOnly(path, error);
  return new StoreError('failed', `${path} cannot be used: ${message}`, { cause: error });
}

function readOnly(path: string, cause: unknown): StoreError {
  const message = `${path} cannot be written to. The store needs the right to write to the file and to its folder.`;
  return new StoreError('read-only', message, { cause });
}
