import type { StateStore } from '../state/state-store.ts';
import { UnreadableError } from '../state/state-store.ts';
import { isObject } from '@tenon/values/is-object';
import { messageOf } from '../values/message-of.ts';

/** What is kept under a name. */
export type Found<T> =
  | { readonly is: 'nothing' }
  | { readonly is: 'kept'; readonly pin: string; readonly entry: T; readonly at: number }
  | { readonly is: 'unreadable'; readonly why: string };

/** What was approved, and what was refused for good, by name: a file for each, so that two hosts do not undo each other's approvals. */
export interface PinFiles<T> {
  /** Rejects only where nothing can be read at all. */
  find(name: string): Promise<Found<T>>;
  /** This is approved, for the first time. */
  add(name: string, entry: T): Promise<void>;
  /** This is approved, whatever was before. What nobody can read is set aside. */
  replace(name: string, entry: T): Promise<void>;
  /** From now on nobody is asked about exactly this. */
  refuse(name: string, entry: T): Promise<void>;
  isRefused(name: string, entry: T): Promise<boolean>;
}

/** A file as it is written. Older versions compare `pin`, which was a digest of fewer members then; here `entry` alone counts. */
interface Pinned<T> {
  readonly pin: string;
  readonly entry: T;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

/** How the name of a list of refused forms ends. */
export const REFUSED = '-refused';
/** Most refused forms of one thing; the oldest are asked about again. */
const MAX_REFUSED = 20;

const isPinned = (value: unknown): value is Pinned<object> =>
  isObject(value) && isObject(value['entry']) && typeof value['at'] === 'number';

/** `pinOf`: what an approval is for. It may throw for what is no `T`. */
export function createPinFiles<T extends object>(
  store: StateStore,
  pinOf: (entry: T) => string,
  now: () => number,
): PinFiles<T> {
  const put = (name: string, entry: T): Promise<void> =>
    store.put(name, { pin: pinOf(entry), entry, at: now() } satisfies Pinned<T>);

  const find = async (name: string): Promise<Found<T>> => {
    try {
      const value = await store.get(name);
      if (value === undefined) return { is: 'nothing' };
      if (!isPinned(value)) return { is: 'unreadable', why: `what is kept as ${name} is not what a host keeps there` };
      const entry = value.entry as T;
      return { is: 'kept', pin: pinOf(entry), entry, at: value.at };
    } catch (error) {
      const isOfThisFile =
        error instanceof UnreadableError || error instanceof TypeError || error instanceof RangeError;
      if (!isOfThisFile) throw error;
      return { is: 'unreadable', why: messageOf(error) };
    }
  };

  /** Where this cannot be read, the person is asked again. */
  const refusedOf = async (name: string): Promise<readonly unknown[]> => {
    const refused = await store.get(`${name}${REFUSED}`).catch(() => undefined);
    return Array.isArray(refused) ? refused : [];
  };

  return {
    find,
    add: put,
    async replace(name, entry) {
      if ((await find(name)).is === 'unreadable') await store.quarantine(name);
      await put(name, entry);
    },
    async refuse(name, entry) {
      const pin = pinOf(entry);
      const others = (await refusedOf(name)).filter((other) => other !== pin);
      await store.put(`${name}${REFUSED}`, [...others, pin].slice(-MAX_REFUSED));
    },
    isRefused: async (name, entry) => (await refusedOf(name)).includes(pinOf(entry)),
  };
}
