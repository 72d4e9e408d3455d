import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { isAlive, pidNamespace } from '@tenon/values/node/process-identity';
import { isName, type StateStore, UnreadableError } from './contract.ts';

/** How one of several that share what is kept tells that it is still there. */
export interface Lease {
  /** Of this one alone: process numbers are given anew, and are the same in containers. */
  readonly id: string;
  /** Resolves once the others can see it. */
  begin(): Promise<void>;
  /** Is whoever had this id gone? */
  isGone(id: string | undefined): Promise<boolean>;
  close(): Promise<void>;
}

interface Heartbeat {
  /** Of the last sign of life, in milliseconds since 1970. */
  readonly at: number;
  readonly pid: number;
  /** Where the process number means something. */
  readonly where: string;
}

/** A sign of life is given so often; without one for long, it is gone. */
const HEARTBEAT_MS = 3_000;
const STALE_MS = 15_000;
/** Who looks at the clock with each sign and has not for so long was not running. */
const SUSPENDED_MS = 10_000;

const RUN = randomUUID();
/** Those of this very process. */
const openLeases = new Set<string>();

const isHeartbeat = (value: unknown): value is Heartbeat =>
  typeof value === 'object' &&
  value !== null &&
  Number.isFinite((value as Heartbeat).at) &&
  Number.isInteger((value as Heartbeat).pid) &&
  typeof (value as Heartbeat).where === 'string';

/** The last sign of life, if there is one. What cannot be read for now says nothing. */
const readHeartbeat = async (store: StateStore, id: string): Promise<Heartbeat | 'unknown' | undefined> => {
  try {
    const heartbeat = isName(id) && !id.includes('/') ? await store.get(`owners/${id}`) : undefined;
    return isHeartbeat(heartbeat) ? heartbeat : undefined;
  } catch (error) {
    return error instanceof UnreadableError ? undefined : 'unknown';
  }
};

/** `now`: in milliseconds since 1970. */
export const createLease = (store: StateStore, now: () => number = Date.now): Lease => {
  const id = `${RUN}_${randomUUID()}`;
  const name = `owners/${id}`;
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let namespace: Promise<string> | undefined;
  let checkedAt: number | undefined;
  let awakeSince = -Infinity;

  /** Who slept with its machine gave no sign meanwhile. Nor did the others there: they have to be waited for. */
  const checkClock = (): number => {
    const at = now();
    if (checkedAt === undefined) return at;
    if (Math.abs(at - checkedAt) > SUSPENDED_MS) awakeSince = at;
    checkedAt = at;
    return at;
  };

  const sendHeartbeat = async (): Promise<void> => {
    const where = await (namespace ??= pidNamespace());
    checkedAt = checkClock();
    await store.put(name, { at: checkedAt, pid: process.pid, where } satisfies Heartbeat);
    if (!openLeases.has(id)) await store.remove(name);
  };

  openLeases.add(id);
  return {
    id,
    begin() {
      starting ??= sendHeartbeat().then(
        () => {
          timer = setInterval(() => void sendHeartbeat().catch(() => {}), HEARTBEAT_MS);
          timer.unref();
          if (!openLeases.has(id)) clearInterval(timer);
        },
        (error: unknown) => {
          starting = undefined;
          throw error;
        },
      );
      return starting;
    },
    async isGone(other) {
      if (other === undefined) return true;
      if (other.startsWith(`${RUN}_`)) return !openLeases.has(other);
      const heartbeat = await readHeartbeat(store, other);
      if (heartbeat === 'unknown') return false;
      if (heartbeat === undefined) return true;
      if (heartbeat.where === (await (namespace ??= pidNamespace())) && !isAlive(heartbeat.pid)) return true;
      const at = checkClock();
      return Math.abs(at - heartbeat.at) > STALE_MS && Math.abs(at - awakeSince) > STALE_MS;
    },
    async close() {
      openLeases.delete(id);
      clearInterval(timer);
      await store.remove(name).catch(() => {});
    },
  };
};
