import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { isAlive, pidNamespace } from '@tenon/values/node/process-identity';
import { isName, type Keep, UnreadableError } from './contract.ts';

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

interface Sign {
  /** Of the last sign of life, in milliseconds since 1970. */
  readonly at: number;
  readonly pid: number;
  /** Where the process number means something. */
  readonly where: string;
}

/** A sign of life is given so often; without one for long, it is gone. */
const BEAT_MS = 3_000;
const STALE_MS = 15_000;
/** Who looks at the clock with each sign and has not for so long was not running. */
const SLEPT_MS = 10_000;

const RUN = randomUUID();
/** Those of this very process. */
const open = new Set<string>();

const isSign = (value: unknown): value is Sign =>
  typeof value === 'object' &&
  value !== null &&
  Number.isFinite((value as Sign).at) &&
  Number.isInteger((value as Sign).pid) &&
  typeof (value as Sign).where === 'string';

/** The last sign of life, if there is one. What cannot be read for now says nothing. */
const signOf = async (keep: Keep, id: string): Promise<Sign | 'unknown' | undefined> => {
  try {
    const sign = isName(id) && !id.includes('/') ? await keep.get(`owners/${id}`) : undefined;
    return isSign(sign) ? sign : undefined;
  } catch (error) {
    return error instanceof UnreadableError ? undefined : 'unknown';
  }
};

/** `now`: in milliseconds since 1970. */
export const createLease = (keep: Keep, now: () => number = Date.now): Lease => {
  const id = `${RUN}_${randomUUID()}`;
  const name = `owners/${id}`;
  let timer: NodeJS.Timeout | undefined;
  let begun: Promise<void> | undefined;
  let here: Promise<string> | undefined;
  let lookedAt: number | undefined;
  let awakeSince = -Infinity;

  /** Who slept with its machine gave no sign meanwhile. Nor did the others there: they have to be waited for. */
  const look = (): number => {
    const at = now();
    if (lookedAt === undefined) return at;
    if (Math.abs(at - lookedAt) > SLEPT_MS) awakeSince = at;
    lookedAt = at;
    return at;
  };

  const beat = async (): Promise<void> => {
    const where = await (here ??= pidNamespace());
    lookedAt = look();
    await keep.put(name, { at: lookedAt, pid: process.pid, where } satisfies Sign);
    if (!open.has(id)) await keep.remove(name);
  };

  open.add(id);
  return {
    id,
    begin() {
      begun ??= beat().then(
        () => {
          timer = setInterval(() => void beat().catch(() => {}), BEAT_MS);
          timer.unref();
          if (!open.has(id)) clearInterval(timer);
        },
        (error: unknown) => {
          begun = undefined;
          throw error;
        },
      );
      return begun;
    },
    async isGone(other) {
      if (other === undefined) return true;
      if (other.startsWith(`${RUN}_`)) return !open.has(other);
      const sign = await signOf(keep, other);
      if (sign === 'unknown') return false;
      if (sign === undefined) return true;
      if (sign.where === (await (here ??= pidNamespace())) && !isAlive(sign.pid)) return true;
      const at = look();
      return Math.abs(at - sign.at) > STALE_MS && Math.abs(at - awakeSince) > STALE_MS;
    },
    async close() {
      open.delete(id);
      clearInterval(timer);
      await keep.remove(name).catch(() => {});
    },
  };
};
