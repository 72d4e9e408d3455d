import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { isAlive, pidNamespace } from '@tenon/values/node/process-identity';
import { isName, type StateStore, UnreadableError } from './contract.ts';

/** Shows other processes that share the store that this owner is alive. */
export interface Lease {
  /** A unique id: process ids are reused, and repeat in containers. */
  readonly id: string;
  /** Writes the first heartbeat, after which others see this owner. */
  begin(): Promise<void>;
  /** Whether the owner with this id has ended. */
  isGone(id: string | undefined): Promise<boolean>;
  close(): Promise<void>;
}

interface Heartbeat {
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  readonly pid: number;
  /** The namespace in which the process id is valid. */
  readonly where: string;
}

/** The heartbeat interval, and the age after which an owner counts as ended. */
const HEARTBEAT_MS = 3_000;
const STALE_MS = 15_000;
/** A longer gap between two checks of the clock means that this process was suspended. */
const SUSPENDED_MS = 10_000;

const RUN = randomUUID();
/** The open leases of this process. */
const openLeases = new Set<string>();

function isHeartbeat(value: unknown): value is Heartbeat {
  return (
    typeof value === 'object' &&
    value !== null &&
    Number.isFinite((value as Heartbeat).at) &&
    Number.isInteger((value as Heartbeat).pid) &&
    typeof (value as Heartbeat).where === 'string'
  );
}

/** The last heartbeat, if there is a valid one. `unknown` if it cannot be read for now. */
async function readHeartbeat(store: StateStore, id: string): Promise<Heartbeat | 'unknown' | undefined> {
  try {
    const heartbeat = isName(id) && !id.includes('/') ? await store.get(`owners/${id}`) : undefined;
    return isHeartbeat(heartbeat) ? heartbeat : undefined;
  } catch (error) {
    return error instanceof UnreadableError ? undefined : 'unknown';
  }
}

/** `now` returns milliseconds since 1970. */
export function createLease(store: StateStore, now: () => number = Date.now): Lease {
  const id = `${RUN}_${randomUUID()}`;
  const name = `owners/${id}`;
  let timer: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let checkedAt: number | undefined;
  let awakeSince = -Infinity;

  /** Returns the time. After a suspension of the machine, the other processes there have to get time for their next heartbeat. */
  const checkClock = (): number => {
    const at = now();
    if (checkedAt === undefined) return at;
    if (Math.abs(at - checkedAt) > SUSPENDED_MS) awakeSince = at;
    checkedAt = at;
    return at;
  };

  const sendHeartbeat = async (): Promise<void> => {
    const where = await pidNamespace();
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
      if (heartbeat.where === (await pidNamespace()) && !isAlive(heartbeat.pid)) return true;
      const at = checkClock();
      return Math.abs(at - heartbeat.at) > STALE_MS && Math.abs(at - awakeSince) > STALE_MS;
    },
    async close() {
      openLeases.delete(id);
      clearInterval(timer);
      await store.remove(name).catch(() => {});
    },
  };
}
