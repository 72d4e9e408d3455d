// Errors of statements, as texts that say what happened and what to do.
import type { Failure } from './messages.ts';
import type { EndReason } from './statement-process.ts';

/** Result codes of SQLite (sqlite.org/rescode.html), with what to do. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [5, 'Another program has locked the database. Try again later.'],
  [6, 'Another statement has locked the table. Try again later.'],
  [7, 'The statement needs too much memory. Ask for less.'],
  [10, 'The disk could not be read or written.'],
  [11, 'The database file is damaged. Its owner has to restore it.'],
  [13, 'The disk is full. Nothing was changed.'],
  [14, 'The database file cannot be opened. It may have been moved, or may not be readable.'],
  [23, 'The statement does something that is not allowed here.'],
  [26, 'The file is not a SQLite database.'],
]);
const READ_ONLY = 8;
/** A program ended while it was writing, and only a connection that writes can roll that back. */
const READ_ONLY_ROLLBACK = 776;

function adviceFor(code: number): string | undefined {
  if (code === READ_ONLY_ROLLBACK)
    return 'A program ended in the middle of a change. Open the database once with a program that may write it.';
  if ((code & 0xff) === READ_ONLY)
    return 'This is not allowed on a connection that only reads, or the file is not writable.';
  return ADVICE.get(code & 0xff);
}

/** The message for a statement that failed. */
export function explainFailure({ message, code }: Failure): string {
  if (code === undefined) return message;
  const advice = adviceFor(code);
  return advice === undefined ? `Database error: ${message}` : `Database error: ${message}. ${advice}`;
}

/** The message for a statement that was stopped. */
export function explainEnd(reason: EndReason, maxMs: number): string {
  switch (reason) {
    case 'time':
      return `The statement was stopped after ${maxMs / 1_000} seconds. Add a condition or a LIMIT, or use an index.`;
    case 'memory':
      return 'The statement was stopped, because it needed too much memory. Ask for less.';
    case 'unknown':
      return 'The process that ran the statement ended. Try again; if it happens again, ask for less.';
  }
}
