import { createFolderStore, isName, type StateStore } from '../state/state-store.ts';
import { parseDecision } from './decision.ts';
import { checkDecision } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import { isPendingRecord, type PendingRecord } from './record.ts';

/** The record with this id, if it is valid and not answered yet. The host reports invalid ones. */
async function readRecord(store: StateStore, id: string): Promise<PendingRecord | undefined> {
  if (!isName(id) || id.includes('/')) return undefined;
  const record = await store.get(`pending/${id}`).catch(() => undefined);
  return isPendingRecord(record, id) && record.answered === undefined ? record : undefined;
}

/**
 * Lists the items that wait for a person in the `state` folder of a host, oldest first, for another program or while no host runs. Items of
 * hosts that have ended are kept for up to a week.
 *
 * @example
 * ```ts
 * import { listPending } from '@tenon/host';
 *
 * for (const { id, kind, server } of await listPending('.tenon')) console.log(id, kind, server);
 * ```
 */
export async function listPending(state: string): Promise<Item[]> {
  const store = createFolderStore(state);
  const records = await Promise.all((await store.list('pending')).map((id) => readRecord(store, id)));
  return records.flatMap((record) => (record === undefined ? [] : [record.item])).sort((a, b) => a.at - b.at);
}

/**
 * Decides about an item that waits in the `state` folder of a host. A running host continues at once; for a later one the answer counts
 * when an equal item is created. False if the item no longer waits. Rejects with a `DecisionError` if the decision is invalid or does not
 * fit the item, which then keeps waiting.
 *
 * @example
 * ```ts
 * import { answerPending, listPending } from '@tenon/host';
 *
 * const calls = (await listPending('.tenon')).filter(({ kind }) => kind === 'call');
 * for (const { id } of calls) await answerPending('.tenon', id, { allow: false, reason: 'Not today' });
 * ```
 */
export async function answerPending(state: string, id: string, decision: Decision): Promise<boolean> {
  const store = createFolderStore(state);
  const checked = parseDecision(decision);
  const record = await readRecord(store, id);
  if (record === undefined) return false;
  checkDecision(record.item, checked);
  await store.put(`answers/${id}`, checked);
  return true;
}
