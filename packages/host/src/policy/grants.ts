import { createHash } from 'node:crypto';
import type { Scope } from '../pending/item.ts';
import { type StateStore, UnreadableError } from '../state/state-store.ts';
import type { Verdict } from './rule.ts';
import type { Subject } from './subject.ts';

/** What a person decided for longer than once. */
export interface Grants {
  find(subject: Subject): Promise<Verdict | undefined>;
  add(subject: Subject, scope: Exclude<Scope, 'once'>, allow: boolean): Promise<void>;
  /** Takes all of it back, about one server or about all. Gives how many there were. */
  revoke(server?: string): Promise<number>;
}

interface Grant {
  readonly about: string;
  readonly exactly: string;
  readonly allow: boolean;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  readonly scope: Exclude<Scope, 'once'>;
}

/** Most of them that are kept; the oldest go first, and are asked again. */
const MAX_GRANTS = 5_000;

const grantKey = ({ act, server, tool = '', uri = '' }: Subject): string => JSON.stringify([act, server, tool, uri]);

const serverIn = (about: string): unknown => (JSON.parse(about) as unknown[])[1];

const grantName = (about: string): string => `grants/${createHash('sha256').update(about).digest('hex').slice(0, 40)}`;

const isGrant = (value: unknown): value is Grant => {
  if (typeof value !== 'object' || value === null) return false;
  const { about, exactly, allow, at, scope } = value as Record<string, unknown>;
  // A time that is none cannot be shown.
  const isTime = typeof at === 'number' && Math.abs(at) <= 8.64e15;
  return (
    typeof about === 'string' &&
    typeof exactly === 'string' &&
    typeof allow === 'boolean' &&
    isTime &&
    scope === 'always'
  );
};

/** A grant under the name of something else would hold for what nobody was asked about. */
const readGrant = async (
  store: StateStore,
  name: string,
  problem: (message: string) => void,
): Promise<Grant | undefined> => {
  let why = 'it is not what a host keeps there';
  try {
    const value = await store.get(name);
    if (value === undefined || (isGrant(value) && grantName(value.about) === name)) return value;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    why = error.message;
  }
  await store.quarantine(name);
  problem(`What was decided as ${name} is set aside, as a file that ends in .bad, and is asked again: ${why}`);
  return undefined;
};

/**
 * Reads what was decided before, and keeps what is decided from now on. One file each: two hosts do not undo each other's. What one of them
 * keeps or takes back for always counts for the others, too.
 */
export const loadGrants = async (
  store: StateStore,
  now: () => number = Date.now,
  problem: (message: string) => void = () => {},
): Promise<Grants> => {
  const grants = new Map<string, Grant>();

  /** What was decided about this, as it is kept now. */
  const current = async (about: string): Promise<Grant | undefined> => {
    const held = grants.get(about);
    if (held?.scope === 'session') return held;
    const kept = await readGrant(store, grantName(about), problem);
    if (kept === undefined) grants.delete(about);
    else if (held === undefined || held.at !== kept.at) grants.set(about, kept);
    return kept;
  };

  const readAll = async (): Promise<void> => {
    for (const name of await store.list('grants')) {
      const grant = await readGrant(store, `grants/${name}`, problem);
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
      const gone = [...grants.keys()].filter((about) => server === undefined || serverIn(about) === server);
      for (const about of gone) {
        grants.delete(about);
        await store.remove(grantName(about));
      }
      return gone.length;
    },
  };
};
