import type { Keep } from '../state/keep.ts';
import type { Lease } from '../state/lease.ts';
import type { Kept } from './kept.ts';

/** Most items that stay although their program is gone, and for how long. */
const MOST = 200;
const MOST_AGE_MS = 7 * 24 * 3_600_000;

const expiredOf = (left: readonly Kept[], now: number): Kept[] => {
  const newest = left.toSorted((a, b) => b.item.at - a.item.at);
  return newest.filter(({ item }, index) => index >= MOST || now - item.at > MOST_AGE_MS);
};

/** Answers to what does not wait any more. */
const removeAnswers = async (keep: Keep): Promise<void> => {
  const answers = await keep.list('answers');
  const waiting = new Set(await keep.list('pending'));
  for (const id of answers) if (!waiting.has(id)) await keep.remove(`answers/${id}`);
};

const removeOwners = async (keep: Keep, lease: Lease): Promise<void> => {
  for (const id of await keep.list('owners')) if (await lease.isGone(id)) await keep.remove(`owners/${id}`);
};

/** Gives away what is too old or too much of what lies there for nobody, and gives what that was. */
export const sweep = async (keep: Keep, lease: Lease, kept: readonly Kept[], now = Date.now()): Promise<Kept[]> => {
  const left: Kept[] = [];
  for (const one of kept) if (await lease.isGone(one.owner)) left.push(one);
  const expired = expiredOf(left, now);
  if (expired.length > 0) {
    await keep.locked('pending', async () => {
      for (const { item, owner } of expired) {
        const lies = (await keep.get(`pending/${item.id}`).catch(() => undefined)) as Kept | undefined;
        if (lies?.owner === owner) await keep.remove(`pending/${item.id}`);
      }
    });
  }
  await removeAnswers(keep);
  await removeOwners(keep, lease);
  return expired;
};
