import type { ServerView } from '@tenon/host';

/** Why a server is not available. */
export interface ServerProblem {
  readonly alias: string;
  readonly state: ServerView['state'];
  readonly problem: string;
}

const NOT_READY: ReadonlySet<ServerView['state']> = new Set(['failed', 'refused', 'starting']);

/** Returns a function that returns the problem of a server, but repeats a problem only after the server was ready again. */
export function createProblemFilter() {
  const reported = new Map<string, string>();
  return ({ alias, state, problem, late }: ServerView): ServerProblem | undefined => {
    if (state === 'ready') reported.delete(alias);
    if (problem === undefined || !NOT_READY.has(state)) return undefined;
    const found = { alias, state, problem: state === 'starting' && !late ? `${problem}. Restarting it.` : problem };
    if (reported.get(alias) === found.problem) return undefined;
    reported.set(alias, found.problem);
    return found;
  };
}
