import { createHash } from 'node:crypto';
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { basename } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { chainProblem, type Head, isLineStart, MAX_LINE_BYTES, NOT_UTF8, readLine, START } from './record.ts';

/** The end of the log as this process last saw it. */
export interface LogPosition extends Head {
  readonly size: number;
  /** The inode, which identifies the file. */
  readonly ino: number;
}

/** The current end of the log, and notes that have to be written first. */
export interface Tail {
  readonly position: LogPosition;
  readonly notes: readonly string[];
}

/** How much of the end of a log is verified before writing. `verifyAudit` checks all of it. */
const WINDOW_BYTES = 16 * MAX_LINE_BYTES;

const NEWLINE = 0x0a;

async function readFrom(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

function unusable(path: string, line: number | string, problem: string): Error {
  return new Error(
    `The audit log ${path} cannot be continued: line ${line} ${problem}. Keep a copy for inspection, and move it away to begin a new log`,
  );
}

/** Verifies complete lines. Without `head`, the first line is not checked against the one before. */
function verifyLines(path: string, text: string, head: Head | undefined): Head | undefined {
  let last = head;
  for (const line of text.split('\n').slice(0, -1)) {
    const record = readLine(line);
    const at = last === undefined ? 'near its end' : last.n + 1;
    if (typeof record === 'string') throw unusable(path, at, record);
    const problem = last === undefined ? undefined : chainProblem(last, record);
    if (problem !== undefined) throw unusable(path, at, problem);
    last = record;
  }
  return last;
}

/** Whether a fragment is the complete next line, except for its line break. */
function isWhole(fragment: string, head: Head | undefined): boolean {
  const record = readLine(fragment);
  return typeof record !== 'string' && (head === undefined || chainProblem(head, record) === undefined);
}

/** Moves a line that was cut off to a file beside the log. Returns a note about it. */
async function quarantineFragment(path: string, fragment: Buffer, size: number): Promise<string> {
  const aside = `${path}.torn`;
  const file = await open(aside, 'a', 0o600);
  try {
    await file.writeFile(Buffer.concat([fragment, Buffer.from('\n')]));
    await file.sync();
  } finally {
    await file.close();
  }
  await truncate(path, size - fragment.length);
  const digest = createHash('sha256').update(fragment).digest('hex');
  return `a line was cut off after ${fragment.length} bytes, with SHA-256 ${digest}; they are kept in ${basename(aside)}`;
}

function missingLinesNote({ n, hash }: Head): string {
  return `lines are missing: the log ended with line ${n} before, with the hash ${hash}`;
}

/** The range to read: what was written since `seen` if that is known, otherwise the end of the file. */
function rangeOf(seen: LogPosition | undefined, size: number, ino: number): { from: number; head: Head | undefined } {
  if (seen !== undefined && seen.ino === ino && size >= seen.size && size - seen.size <= WINDOW_BYTES)
    return { from: seen.size, head: seen };
  const from = Math.max(0, size - WINDOW_BYTES);
  return { from, head: from === 0 ? START : undefined };
}

/**
 * Finds the end of a log, verifies its last lines, and repairs what a crash has left. Other processes may have written since `seen`. The
 * caller has to hold the lock. Throws if lines were changed; such a log is left unchanged.
 */
export async function findTail(path: string, file: FileHandle, seen: LogPosition | undefined): Promise<Tail> {
  const { size, ino } = await file.stat();
  if (seen !== undefined && seen.size === size && seen.ino === ino) return { position: seen, notes: [] };
  const { from, head: before } = rangeOf(seen, size, ino);
  const bytes = await readFrom(file, from, size);
  // In the middle of a file, the first line may be incomplete.
  const start = before === undefined ? bytes.indexOf(NEWLINE) + 1 : 0;
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  if (bytes.length - end > MAX_LINE_BYTES) throw unusable(path, 'near its end', 'is longer than the log writes');
  const lines = decodeUtf8(bytes.subarray(start, end));
  if (lines === undefined) throw unusable(path, 'near its end', NOT_UTF8);
  let head = verifyLines(path, lines, before);
  const notes: string[] = [];
  let length = from + end;
  const fragment = bytes.subarray(end);
  // A fragment may end within a character.
  const rest = decodeUtf8(fragment) ?? '';
  if (isWhole(rest, head)) {
    await file.appendFile('\n');
    head = verifyLines(path, `${rest}\n`, head);
    length = size + 1;
  } else if (!isLineStart(fragment)) throw unusable(path, 'at its end', 'is not a line of an audit log');
  else if (fragment.length > 0) notes.push(await quarantineFragment(path, fragment, size));
  if (head === undefined) throw unusable(path, 'near its end', 'is not a line of an audit log');
  const isShorter = seen !== undefined && before !== seen && (seen.ino !== ino || size < seen.size || head.n < seen.n);
  if (isShorter) notes.push(missingLinesNote(seen));
  return { position: { n: head.n, hash: head.hash, size: length, ino }, notes };
}
