import { createFolderKeep } from '../state/keep.ts';
import { answerIn, pendingIn } from './desk.ts';
import type { Decision, Item } from './item.ts';

/** What waits for a person in the `state` folder of a host, oldest first: for a program beside it, or while no host runs. */
export const listPending = (state: string): Promise<Item[]> => pendingIn(createFolderKeep(state));

/**
 * Decides something that waits in the `state` folder of a host. A host that runs goes on at once; one that is started later goes on with
 * what can be gone on with. False: it does not wait any more.
 */
export const answerPending = (state: string, id: string, decision: Decision): Promise<boolean> =>
  answerIn(createFolderKeep(state), id, decision);
