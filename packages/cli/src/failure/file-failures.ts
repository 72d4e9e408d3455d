import { decodeUtf8 } from '@tenon/values/utf8';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Failure, usage } from './failure.ts';

function errnoOf(error: unknown): NodeJS.ErrnoException | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? (error as NodeJS.ErrnoException) : undefined;
}

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EACCES', 'permission denied'],
  ['EROFS', 'the disk is read-only'],
]);

/** Errors while a file or a stream is written that its path did not cause. */
const LOST: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['EFBIG', 'the file would become larger than is allowed'],
  ['EIO', 'the disk or the terminal failed'],
]);

/** Output of the command could not be written completely. */
export function writeFailure(what: string, error: NodeJS.ErrnoException): Failure {
  return new Failure(
    'write_failed',
    'write_failed',
    `${what} could not be written: ${LOST.get(error.code) ?? error.message}`,
    {
      blame: 'you',
      evidence: error.code,
      fix: 'Make room on the disk, or write to another place.',
    },
  );
}

/** The same, for any error; undefined if it is not one of the write errors above. */
export function diskFailure(error: unknown): Failure | undefined {
  const known = errnoOf(error);
  if (known === undefined || !LOST.has(known.code)) return undefined;
  return writeFailure(known.path ?? 'A file', known);
}

/** Turns a file system error into a usage failure with a readable reason. Returns other errors unchanged. */
export function explainFileError(error: unknown, given?: string): unknown {
  const lost = diskFailure(error);
  if (lost !== undefined) return given === undefined ? lost : writeFailure(given, error as NodeJS.ErrnoException);
  const known = errnoOf(error);
  // The error of reading a folder has no path.
  const path = given ?? known?.path;
  if (known === undefined || path === undefined) return error;
  if (known.code === 'EEXIST')
    return usage(`The file ${path} already exists`, 'Traces are never overwritten: name another file.', 'file_exists');
  const why = WORDS.get(known.code) ?? known.message;
  return usage(`${path} cannot be used: ${why}`, 'Name another file, in a folder that exists.', 'bad_file');
}

/** Reads a text file that the command line names. Throws a usage failure. */
export function readTextFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw explainFileError(error, path);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw usage(`${path} cannot be used: it is not UTF-8`, 'Save it as UTF-8.', 'bad_file');
  // Drop the byte order mark that some editors write.
  return text.replace(/^\uFEFF/, '');
}

/** Removes an incomplete report or baseline, so that it is not taken for a complete one. Devices stay. */
function removePart(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path, { force: true });
}

/** Writes a report. Returns the failure instead of throwing it, so that the results are still printed. */
export function writeReport(path: string, text: string): Failure | undefined {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    const explained = explainFileError(error, path);
    if (explained instanceof Failure && explained.code === 'write_failed') removePart(path);
    if (explained instanceof Failure) return explained;
    throw error;
  }
}
