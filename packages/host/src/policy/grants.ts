import { createHash } from 'node:crypto';
import type { Scope } from '../pending/item.ts';
import { type StateStore, UnreadableError } from '../state/state-store.ts';
import type { Verdict } from './rule.ts';
import type { Subject } from './subject.ts';

/** Decisions of a person that hold for longer than one action. */
export interface Grants {
  find(subject: Subject): Promise<Verdict | undefined>;
  add(subject: Subject, scope: Exclude<Scope, 'once'>, allow: boolean): Promise<void>;
  /** Revokes the decisions about one server, or all. Returns how many there were. */
  revoke(server?: string): Promise<number>;
}

interface Grant {
  readonly about: string;
  readonly exactly: string;
  readonly allow: boolean;
  /** When it was decided, in milliseconds since 1970. */
  readonly at: number;
  readonly scope: Exclude<Scope, 'once'>;
}

/** Decisions that are kept. The oldest are dropped, and asked about again. */
const MAX_GRANTS = 5_000;

function grantKey({ act, server, tool = '', uri = '' }: Subject): string {
  return JSON.stringify([act, server, tool, uri]);
}

function serverIn(about: string): unknown {
  return (JSON.parse(about) as unknown[])[1];
}

function grantName(about: string): string {
  return `grants/${createHash('sha256').update(about).digest('hex').slice(0, 40)}`;
}

function isGrant(value: unknown): value is Grant {
  if (typeof value !== 'object' || value === null) return false;
  const { about, exactly, allow, at, scope } = value as Record<string, unknown>;
  // An invalid time could not be formatted.
  const isTime = typeof at === 'number' && Math.abs(at) <= 8.64e15;
  return (
    typeof about === 'string' &&
    typeof exactly === 'string' &&
    typeof allow === 'boolean' &&
    isTime &&
    scope === 'always'
  );
}

/** Reads a grant. One under the wrong name is invalid: it would apply to something that was never decided. */
async function readGrant(
  store: StateStore,
  name: string,
  reportProblem: (message: string) => void,
): Promise<Grant | undefined> {
  let why = 'it is not a valid decision';
  try {
    const value = await store.get(name);
    if (value === undefined || (isGrant(value) && grantName(value.about) === name)) return value;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    why = error.message;
  }
  await store.quarantine(name);
  reportProblem(
    `The decision ${name} was invalid, and was renamed to a file that ends in .bad. You will be asked again: ${why}`,
  );
  return undefined;
}

/**
 * Loads earlier decisions, and stores new ones. Each has its own file, so that two hosts do not overwrite each other's decisions. A
 * permanent decision that one host makes or revokes applies to the others, too.
 */
export async function loadGrants(
  store: StateStore,
  now: () => number = Date.now,
  reportProblem: (message: string) => void = () => {},
): Promise<Grants> {
  const grants = new Map<string, Grant>();

  /** The current decision, read from the store unless it is for this session. */
  const current = async (about: string): Promise<Grant | undefined> => {
    const held = grants.get(about);
    if (held?.scope === 'session') return held;
    const stored = await readGrant(store, grantName(about), reportProblem);
    if (stored === undefined) grants.delete(about);
    else if (held === undefined || held.at !== stored.at) grants.set(about, stored);
    return stored;
  };

  const readAll = async (): Promise<void> => {
    for (const name of await store.list('grants')) {
      const grant = await readGrant(store, `grants/${name}`, reportProblem);
      if (grant !== undefined && grants.get(grant.about)?.scope !== 'session') grants.set(grant.about, grant);
    }
  };
  await readAll();

  return {
    async find(subject) {
      const grant = await current(grantKey(subject));
      if (grant === undefined || grant.exactly !== subject.exactly) return undefined;
      const since = grant.scope === 'session' ? 'for this session' : `always, on ${new Date(grant.at).toISOString()}`;
      return { effect: grant.allow ? 'allow' : 'deny', why: `${grant.allow ? 'allowed' : 'denied'} ${since}` };
    },
    async add(subject, scope, allow) {
      const about = grantKey(subject);
      const grant: Grant = { about, exactly: subject.exactly, allow, at: now(), scope };
      grants.delete(about);
      grants.set(about, grant);
      if (scope === 'always') await store.put(grantName(about), grant);
      for (const [oldest] of grants) {
        if (grants.size <= MAX_GRANTS) break;
        grants.delete(oldest);
        await store.remove(grantName(oldest));
      }
    },
    async revoke(server) {
      await readAll();
      const revoked = [...grants.keys()].filter((about) => server === undefined || serverIn(about) === server);
      for (const about of revoked) {
        grants.delete(about);
        await store.remove(grantName(about));
      }
      return revoked.length;
    },
  };
}
