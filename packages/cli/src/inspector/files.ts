import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Failure, usage } from '../failure.ts';

const errnoOf = (error: unknown): NodeJS.ErrnoException | undefined =>
  error instanceof Error && 'syscall' in error && 'code' in error ? (error as NodeJS.ErrnoException) : undefined;

const WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['EACCES', 'it may not be opened'],
  ['EROFS', 'the disk is read-only'],
]);

/** What goes wrong while a file or a stream is written, and is no fault of its name. */
const LOST: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the quota of the disk is used up'],
  ['EFBIG', 'the file would become larger than is allowed'],
  ['EIO', 'the disk or the terminal failed'],
]);

/** Something that was asked for could not be written as a whole. */
export const unwritten = (what: string, error: NodeJS.ErrnoException): Failure =>
  new Failure('unwritten', 'unwritten', `${what} could not be written: ${LOST.get(error.code) ?? error.message}`, {
    blame: 'you',
    ...(error.code === undefined ? {} : { evidence: error.code }),
    fix: 'Make room on the disk, or write to another place.',
  });

/** The same, for an error that says by itself that the disk took no more; undefined: it is about something else. */
export const unwrittenBy = (error: unknown): Failure | undefined => {
  const known = errnoOf(error);
  if (known === undefined || !LOST.has(known.code)) return undefined;
  return unwritten(known.path ?? 'A file', known);
};

/** A file of the command line cannot be used: in words, and not as a fault of this program. Other errors stay as they are. */
export const explainedFile = (error: unknown, given?: string): unknown => {
  const lost = unwrittenBy(error);
  if (lost !== undefined) return given === undefined ? lost : unwritten(given, error as NodeJS.ErrnoException);
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

/** A part of a report, or of a baseline, must not be taken for the whole. Devices and the like stay. */
const removePart = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path, { force: true });
};

/** Writes a report. Gives the failure instead of throwing it: what was found is to be told all the same. */
export const writeGiven = (path: string, text: string): Failure | undefined => {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    const explained = explainedFile(error, path);
    if (explained instanceof Failure && explained.code === 'unwritten') removePart(path);
    if (explained instanceof Failure) return explained;
    throw error;
  }
};
