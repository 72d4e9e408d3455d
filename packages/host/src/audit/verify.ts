import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { chainProblem, type Head, MAX_LINE_BYTES, readLine, START } from './record.ts';

/** Whether a log is as it was written. */
export type AuditReport =
  | { readonly ok: true; readonly entries: number; readonly head: string }
  | { readonly ok: false; readonly line: number; readonly problem: string };

export interface VerifyAuditOptions {
  /** A head the log had at some time, kept elsewhere. Shows whether lines were removed from the end since, or all was written anew. */
  readonly head?: string;
}

const CHUNK_BYTES = 64 * 1024;
/** Somebody may be in the middle of writing a line. */
const WAIT_MS = 200;

/** The lines of a file without their ends. The last one, if it has no end, comes with `torn`. One that is too long ends it all. */
async function* linesIn(file: FileHandle): AsyncGenerator<{ text: string; torn: boolean; long: boolean }> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (let isSecondTry = false; ;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) {
      if (rest.length === 0) return;
      if (isSecondTry) return yield { text: rest.toString('utf8'), torn: true, long: false };
      isSecondTry = true;
      await sleep(WAIT_MS);
      continue;
    }
    isSecondTry = false;
    rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', start)) {
      yield { text: rest.toString('utf8', start, end), torn: false, long: end - start > MAX_LINE_BYTES };
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > MAX_LINE_BYTES) return yield { text: '', torn: false, long: true };
  }
}

const verify = async (file: FileHandle, wanted: string | undefined): Promise<AuditReport> => {
  let head: Head = START;
  let isFound = wanted === undefined || wanted === START.hash;
  const wrong = (problem: string): AuditReport => ({
    ok: false,
    line: head.n + 1,
    problem: `line ${head.n + 1} ${problem}`,
  });
  for await (const { text, torn, long } of linesIn(file)) {
    if (long) return wrong('is longer than any line that is written');
    if (torn) return wrong('is cut off: opening the log keeps it aside and goes on');
    const record = readLine(text);
    if (typeof record === 'string') return wrong(record);
    const problem = chainProblem(head, record);
    if (problem !== undefined) return wrong(problem);
    head = record;
    isFound ||= head.hash === wanted;
  }
  if (!isFound)
    return wrong(
      `and what comes after is missing: the head ${wanted} is of none of the ${head.n} lines that are there, so the end was removed, or all was written anew`,
    );
  return { ok: true, entries: head.n, head: head.hash };
};

/**
 * Reads a whole log and says whether it is as it was written: which line was changed, removed, put in or moved, in words. Without a head
 * from elsewhere it cannot tell that lines were removed from the end. Throws where the file cannot be read.
 *
 * @example
 * const report = await verifyAudit('audit.jsonl', { head });
 * if (!report.ok) console.error(report.problem);
 */
export const verifyAudit = async (path: string, { head }: VerifyAuditOptions = {}): Promise<AuditReport> => {
  const file = await open(path, 'r');
  try {
    return await verify(file, head);
  } finally {
    await file.close();
  }
};
