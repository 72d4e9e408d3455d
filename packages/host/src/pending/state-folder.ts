import { createFolderStore, isName, type StateStore } from '../state/state-store.ts';
import { parseDecision } from './decision.ts';
import { answerProblem } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import { isPendingRecord, type PendingRecord } from './record.ts';

/** The record with this id, if it is valid. The host reports invalid ones. */
const readRecord = async (store: StateStore, id: string): Promise<PendingRecord | undefined> => {
  if (!isName(id) || id.includes('/')) return undefined;
  const kept = await store.get(`pending/${id}`).catch(() => undefined);
  return isPendingRecord(kept, id) ? kept : undefined;
};

/**
 * Lists the items that wait for a person in the `state` folder of a host, oldest first, for another program or while no host runs. Items of
 * hosts that have ended are kept for up to a week.
 */
export const listPending = async (state: string): Promise<Item[]> => {
  const store = createFolderStore(state);
  const kept = await Promise.all((await store.list('pending')).map((id) => readRecord(store, id)));
  return kept.flatMap((one) => (one === undefined ? [] : [one.item])).sort((a, b) => a.at - b.at);
};

/**
 * Decides about an item that waits in the `state` folder of a host. A running host continues at once; for a later one the answer counts
 * when an equal item is created. False if the item no longer waits. Rejects with a `TypeError` if the decision is invalid, or does not fill
 * in what the form requires.
 */
export const answerPending = async (state: string, id: string, decision: Decision): Promise<boolean> => {
  const store = createFolderStore(state);
  const checked = parseDecision(decision);
  const record = await readRecord(store, id);
  if (record === undefined) return false;
  const wrong = answerProblem(record.item, checked);
  if (wrong !== undefined) throw new TypeError(`The answer does not fit the form: ${wrong}`);
  await store.put(`answers/${id}`, checked);
  return true;
};
