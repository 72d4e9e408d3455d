import type { StateStore } from '../state/state-store.ts';
import type { Lease } from '../state/lease.ts';
import type { PendingRecord } from './record.ts';

/** Limits for the records of hosts that have ended, of all servers together. */
const MAX_RECORDS = 200;
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/** The records in turns: the newest of each server first, so that those of one server do not displace others. */
function inTurns(records: readonly PendingRecord[]): PendingRecord[] {
  const turns = new Map<PendingRecord, number>();
  const counts = new Map<string, number>();
  const newest = records.toSorted((a, b) => b.item.at - a.item.at);
  for (const record of newest) {
    const { server } = record.item;
    const turn = counts.get(server) ?? 0;
    turns.set(record, turn);
    counts.set(server, turn + 1);
  }
  return newest.sort((a, b) => turns.get(a)! - turns.get(b)!);
}

function expiredOf(orphaned: readonly PendingRecord[], now: number): PendingRecord[] {
  // The clock may have been set back since, so a time far in the future does not extend the life of a record.
  return inTurns(orphaned).filter(({ item }, index) => index >= MAX_RECORDS || Math.abs(now - item.at) > MAX_AGE_MS);
}

/** Removes answers to items that no longer wait. */
async function removeAnswers(store: StateStore): Promise<void> {
  const answers = await store.list('answers');
  const waiting = new Set(await store.list('pending'));
  for (const id of answers) if (!waiting.has(id)) await store.remove(`answers/${id}`);
}

async function removeOwners(store: StateStore, lease: Lease): Promise<void> {
  for (const id of await store.list('owners')) if (await lease.isGone(id)) await store.remove(`owners/${id}`);
}

/** Removes records of ended hosts that are too old or too many, together with unused answers and leases. Returns the removed records. */
export async function removeExpired(
  store: StateStore,
  lease: Lease,
  records: readonly PendingRecord[],
  now = Date.now(),
): Promise<PendingRecord[]> {
  const orphaned: PendingRecord[] = [];
  for (const one of records) if (await lease.isGone(one.owner)) orphaned.push(one);
  const expired = expiredOf(orphaned, now);
  if (expired.length > 0) {
    await store.withLock('pending', async () => {
      for (const { item, owner } of expired) {
        const current = (await store.get(`pending/${item.id}`).catch(() => undefined)) as PendingRecord | undefined;
        if (current?.owner === owner) await store.remove(`pending/${item.id}`);
      }
    });
  }
  await removeAnswers(store);
  await removeOwners(store, lease);
  return expired;
}
