import type { StateStore } from '../state/state-store.ts';
import { UnreadableError } from '../state/state-store.ts';
import { isObject } from '@tenon/values/is-object';
import { messageOf } from '../values/message-of.ts';

/** The content of a pin file. */
export type PinContent<T> =
  | { readonly is: 'nothing' }
  | { readonly is: 'kept'; readonly pin: string; readonly entry: T; readonly at: number }
  | { readonly is: 'unreadable'; readonly why: string };

/**
 * The approved and permanently refused versions, by name. Each has its own file, so that two hosts do not overwrite each other's approvals.
 */
export interface PinFiles<T> {
  /** Rejects only if the store as a whole cannot be read. */
  find(name: string): Promise<PinContent<T>>;
  /** Stores the first approved version. */
  add(name: string, entry: T): Promise<void>;
  /** Stores an approved version. A previous one that cannot be read is quarantined. */
  replace(name: string, entry: T): Promise<void>;
  /** Refuses this version permanently: the person is not asked about it again. */
  refuse(name: string, entry: T): Promise<void>;
  isRefused(name: string, entry: T): Promise<boolean>;
}

/** The format of the file. Only `entry` is compared; `pin` is for older versions of the host, which compared a digest of fewer members. */
interface Pinned<T> {
  readonly pin: string;
  readonly entry: T;
  /** When it was approved, in milliseconds since 1970. */
  readonly at: number;
}

/** The suffix of the name of a list of refused versions. */
export const REFUSED = '-refused';
/** Maximum refused versions of one entry. The oldest are dropped, and asked about again. */
const MAX_REFUSED = 20;

function isPinned(value: unknown): value is Pinned<object> {
  return isObject(value) && isObject(value['entry']) && typeof value['at'] === 'number';
}

/** `pinOf` computes what an approval is bound to. It may throw for an invalid entry. */
export function createPinFiles<T extends object>(
  store: StateStore,
  pinOf: (entry: T) => string,
  now: () => number,
): PinFiles<T> {
  const put = (name: string, entry: T): Promise<void> =>
    store.put(name, { pin: pinOf(entry), entry, at: now() } satisfies Pinned<T>);

  const find = async (name: string): Promise<PinContent<T>> => {
    try {
      const value = await store.get(name);
      if (value === undefined) return { is: 'nothing' };
      if (!isPinned(value)) return { is: 'unreadable', why: `${name} in the state folder is not a valid pin` };
      const entry = value.entry as T;
      return { is: 'kept', pin: pinOf(entry), entry, at: value.at };
    } catch (error) {
      const isOfThisFile =
        error instanceof UnreadableError || error instanceof TypeError || error instanceof RangeError;
      if (!isOfThisFile) throw error;
      return { is: 'unreadable', why: messageOf(error) };
    }
  };

  /** If the list cannot be read, the person is asked again. */
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
