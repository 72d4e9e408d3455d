import { createFolderStore, isName, type StateStore } from '../state/state-store.ts';
import { parseDecision } from './decision.ts';
import { answerProblem } from './form-check.ts';
import type { Decision, Item } from './item.ts';
import { isPendingRecord, type PendingRecord } from './record.ts';

/** What a host keeps under this id. What cannot be read is for the host to tell. */
const readRecord = async (store: StateStore, id: string): Promise<PendingRecord | undefined> => {
  if (!isName(id) || id.includes('/')) return undefined;
  const kept = await store.get(`pending/${id}`).catch(() => undefined);
  return isPendingRecord(kept, id) ? kept : undefined;
};

/**
 * What waits for a person in the `state` folder of a host, oldest first: for a program beside it, or while no host runs. What waited in a
 * host that is gone is there for up to a week.
 */
export const listPending = async (state: string): Promise<Item[]> => {
  const store = createFolderStore(state);
  const kept = await Promise.all((await store.list('pending')).map((id) => readRecord(store, id)));
  return kept.flatMap((one) => (one === undefined ? [] : [one.item])).sort((a, b) => a.at - b.at);
};

/**
 * Decides something that waits in the `state` folder of a host. A host that runs goes on at once; for one that is started later the answer
 * counts when the same thing comes up again. False: it does not wait any more. Rejects with a `TypeError` for what is no decision, or does
 * not fill in what the form requires.
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
