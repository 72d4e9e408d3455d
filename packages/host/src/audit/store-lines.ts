import type { KeyObject } from 'node:crypto';
import type { Store } from 'tenon/http';
import { ALWAYS_MS } from 'tenon/internal';
import { keyOfText, newKeyText } from './digest.ts';
import type { AuditStorage } from './file-store.ts';
import { type AuditFacts, type AuditRecord, chain, chainProblem, type Head, readLine, START } from './record.ts';

const KEY = 'host-audit/key';
/** The end of the log as some process last saw it. What follows it may have been written since. */
const END = 'host-audit/end';
const LINES = 'host-audit/line/';
/** How often lines may be written first by other processes before this one gives up. */
const MAX_TRIES = 1_000;
const PAGE = 500;

/** The key of a line. The keys of the lines are in the order of their numbers. */
function keyOf(n: number): string {
  return `${LINES}${String(n).padStart(15, '0')}`;
}

/** Reads the line after `head`. Returns undefined if it has not been written yet. Throws if it was changed, or does not follow. */
async function lineAfter(store: Store, head: Head): Promise<AuditRecord | undefined> {
  const n = head.n + 1;
  const line = await store.get(keyOf(n));
  if (line === undefined) return undefined;
  const record = readLine(String(line));
  const problem = typeof record === 'string' ? record : chainProblem(head, record);
  if (problem === undefined) return record as AuditRecord;
  throw new Error(
    `The audit log in the store cannot be continued: line ${n} ${problem}. Export the values that begin with 'host-audit/' for inspection, and delete them to begin a new log`,
  );
}

/** The end of the log, from an end that was seen before. */
async function endAfter(store: Store, seen: Head): Promise<Head> {
  let head = seen;
  for (;;) {
    const next = await lineAfter(store, head);
    if (next === undefined) return head;
    head = next;
  }
}

/** The last end that a process has written down, if its line is still as it was. */
async function knownEnd(store: Store): Promise<Head> {
  const { n, prev } = ((await store.get(END)) ?? {}) as { readonly n?: number; readonly prev?: string };
  if (typeof n !== 'number' || typeof prev !== 'string') return START;
  const record = await lineAfter(store, { n: n - 1, hash: prev });
  if (record === undefined) throw new Error(`The audit log in the store cannot be continued: line ${n} is missing`);
  return record;
}

/** Reads the key for digests, or creates it: of several processes that do so at once, all get the same. */
async function openKey(store: Store): Promise<KeyObject> {
  await store.add(KEY, newKeyText(), ALWAYS_MS);
  const key = keyOfText(await store.get(KEY));
  if (key !== undefined) return key;
  throw new Error(`The value '${KEY}' in the store is not a key for the audit log. Delete it to have a new key made`);
}

/**
 * The lines of a log in a store that several processes may share. `add` stores a line only if its number is free, so of two processes that
 * continue the log at once, one continues the line of the other.
 */
export async function openStoreLines(store: Store): Promise<AuditStorage> {
  const key = await openKey(store);
  let head = await endAfter(store, await knownEnd(store));

  const writeOne = async (facts: AuditFacts): Promise<AuditRecord> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [record] = chain(head, [facts]);
      if (await store.add(keyOf(record!.n), JSON.stringify(record), ALWAYS_MS)) {
        head = record!;
        return record!;
      }
      head = await endAfter(store, head);
    }
    throw new Error('Too many processes write to the audit log at once');
  };

  return {
    key,
    head,
    async write(batch) {
      const written: AuditRecord[] = [];
      for (const facts of batch) written.push(await writeOne(facts));
      const last = written.at(-1);
      if (last !== undefined) await store.set(END, { n: last.n, prev: last.prev }, ALWAYS_MS);
      return written;
    },
  };
}

/** The lines of a log in a store, as their text. A missing one is left out, as it is of a file from which it was removed. */
export async function* storedLines(store: Store): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const keys = await store.keys(LINES, after, PAGE);
    for (const key of keys) yield String(await store.get(key));
    if (keys.length < PAGE) return;
    after = keys.at(-1);
  }
}
