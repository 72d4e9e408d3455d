import { readFileSync, writeFileSync } from 'node:fs';
import { Failure, usage } from '../failure.ts';

const errnoOf = (error: unknown): NodeJS.ErrnoException | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error ? (error as NodeJS.ErrnoException) : undefined;

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EACCES', 'it may not be opened'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
]);

/** A file of the command line cannot be used: in words, and not as a fault of this program. Other errors stay as they are. */
export const explainedFile = (error: unknown, given?: string): unknown => {
  const known = errnoOf(error);
  // Reading a folder says no path.
  const path = given ?? known?.path;
  if (known === undefined || path === undefined) return error;
  if (known.code === 'EEXIST')
    return usage(`The file ${path} is there already`, 'Traces are never written over: name another.', 'file_exists');
  const why = WORDS.get(known.code) ?? known.message;
  return usage(`${path} cannot be used: ${why}`, 'Name another file, in a folder that is there.', 'bad_file');
};

/** The text of a file of the command line. Throws a usage failure. */
export const readGiven = (path: string): string => {
  try {
    // What some editors put before the text is no part of it.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw explainedFile(error, path);
  }
};

/** Writes a report. Gives the failure instead of throwing it: what was found is to be told all the same. */
export const writeGiven = (path: string, text: string): Failure | undefined => {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    const explained = explainedFile(error, path);
    if (explained instanceof Failure) return explained;
    throw error;
  }
};
