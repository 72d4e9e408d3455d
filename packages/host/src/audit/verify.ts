import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeUtf8 } from '@tenon/values/utf8';
import type { Store } from 'tenon/http';
import { chainProblem, type Head, isLineStart, MAX_LINE_BYTES, NOT_UTF8, readLine, START } from './record.ts';
import { storedLines } from './store-lines.ts';

/**
 * The result of the verification of a log. `entries` is the number of lines and `head` the hash of the last one, to store elsewhere; `line`
 * is the first wrong line, from 1, and `problem` says in a sentence what is wrong with it. `code`: `changed` if lines were changed or
 * removed; `cut-off` if only the last line is incomplete, as a crash leaves it.
 */
export type AuditReport =
  | { readonly ok: true; readonly entries: number; readonly head: string }
  | { readonly ok: false; readonly code: 'changed' | 'cut-off'; readonly line: number; readonly problem: string };

/** Options of the verification. */
export interface VerifyAuditOptions {
  /**
   * An earlier head of the log that was stored elsewhere. With it, the verification detects lines removed from the end, and a rewritten
   * log.
   */
  readonly head?: string | undefined;
}

const CHUNK_BYTES = 64 * 1024;
/** Another process may be writing a line. */
const WAIT_MS = 200;

interface Line {
  readonly text: string | undefined;
  /** The last line has no line break. `foreign`: nor is it the beginning of a line of a log. */
  readonly torn?: 'line' | 'foreign';
  /** The line is too long, and the rest is not read. */
  readonly long?: boolean;
}

/** The lines of a file, without line breaks. `text` is undefined if the line is not UTF-8. */
async function* linesIn(file: FileHandle): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (let isSecondTry = false; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) {
      if (rest.length === 0) return;
      if (isSecondTry) return yield { text: '', torn: isLineStart(rest) ? 'line' : 'foreign' };
      isSecondTry = true;
      await sleep(WAIT_MS);
      continue;
    }
    isSecondTry = false;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
      yield { text: decodeUtf8(rest.subarray(start, end)), long: end - start > MAX_LINE_BYTES };
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > MAX_LINE_BYTES) return yield { text: '', long: true };
  }
}

async function* linesOfStore(store: Store): AsyncGenerator<Line> {
  for await (const text of storedLines(store)) yield { text };
}

async function verify(lines: AsyncIterable<Line>, expectedHead: string | undefined): Promise<AuditReport> {
  let head: Head = START;
  let isFound = expectedHead === undefined || expectedHead === START.hash;
  const failure = (problem: string, code: 'changed' | 'cut-off' = 'changed'): AuditReport => ({
    ok: false,
    code,
    line: head.n + 1,
    problem: `line ${head.n + 1} ${problem}`,
  });
  for await (const { text, torn, long } of lines) {
    if (long) return failure('is longer than the log writes');
    if (torn === 'foreign') return failure('is not a line of an audit log');
    // Without the expected head, more is missing than a crash cuts off.
    if (torn === 'line' && isFound) return failure('is cut off, as a crash leaves it', 'cut-off');
    if (torn === 'line') break;
    if (text === undefined) return failure(NOT_UTF8);
    const record = readLine(text);
    if (typeof record === 'string') return failure(record);
    const problem = chainProblem(head, record);
    if (problem !== undefined) return failure(problem);
    head = record;
    isFound ||= head.hash === expectedHead;
  }
  if (!isFound)
    return failure(
      `and what comes after is missing: the head ${expectedHead} belongs to none of the ${head.n} existing lines, so the end was removed, or the log was rewritten`,
    );
  return { ok: true, entries: head.n, head: head.hash };
}

/**
 * Verifies a whole log: finds the first line that was changed, removed, inserted or moved. Without a head from elsewhere it cannot detect
 * that lines were removed from the end. `log`: the path of the file, or the store of the host. Throws if it cannot be read.
 *
 * @example
 * ```ts
 * import { verifyAudit } from '@tenon/host';
 *
 * const report = await verifyAudit('.tenon/audit.jsonl');
 * if (!report.ok) throw new Error(report.problem);
 * ```
 */
export async function verifyAudit(log: string | Store, { head }: VerifyAuditOptions = {}): Promise<AuditReport> {
  if (typeof log !== 'string') return verify(linesOfStore(log), head);
  const file = await open(log, 'r');
  try {
    return await verify(linesIn(file), head);
  } finally {
    await file.close();
  }
}
