import type { ServerView } from '@tenon/host';

/** Why a server is not there. */
export interface Trouble {
  readonly alias: string;
  readonly state: ServerView['state'];
  readonly problem: string;
}

const IN_TROUBLE: ReadonlySet<ServerView['state']> = new Set(['failed', 'refused', 'starting']);

/** Tells what is wrong with servers: the same thing once, until the server is there again. */
export const createTroubles = () => {
  const told = new Map<string, string>();
  return ({ alias, state, problem }: ServerView): Trouble | undefined => {
    if (state === 'ready') told.delete(alias);
    if (problem === undefined || !IN_TROUBLE.has(state)) return undefined;
    const trouble = { alias, state, problem: state === 'starting' ? `${problem}. It is started again.` : problem };
    if (told.get(alias) === trouble.problem) return undefined;
    told.set(alias, trouble.problem);
    return trouble;
  };
};
