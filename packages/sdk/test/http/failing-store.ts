// A store and a bus that fail when a test says so.
import { type Bus, memoryStore, type Store } from '../../src/entries/http.ts';

/** The error of a store that cannot be reached, as that of another package: it has only the code. */
export class Unreachable extends Error {
  readonly code = 'unavailable';

  constructor() {
    super('db.internal:5432 (user app, password SECRETPW) refused the connection');
  }
}

/** The kind of a key, by its beginning. */
const KINDS: readonly (readonly [kind: string, prefix: string])[] = [
  ['session', 'tenon/session/'],
  ['events', 'tenon/events/'],
  ['ready', 'tenon/ready'],
  ['once', 'once:'],
  ['open task', 'task-open/'],
  ['lease', 'task-lease/'],
  ['task', 'task/'],
];

function kindOf(key: string): string {
  const kind = KINDS.find(([, prefix]) => key.startsWith(prefix))?.[0];
  if (kind === undefined) throw new Error(`A key of no known kind: ${key}`);
  return kind;
}

/** An operation of a store: its method and the kind of its key, such as `swap task`. */
export type Place = string;

export interface FailingStore {
  readonly store: Store;
  /** The operations that were asked for, and those of them that failed. */
  readonly seen: Set<Place>;
  readonly failed: Set<Place>;
  /** Which operations fail: none, all, or those for which it returns true. */
  fails: boolean | ((place: Place) => boolean);
  /** Do they fail before they have an effect, or after it? */
  when: 'before' | 'after';
}

/** A store in memory whose operations fail as a test says. */
export function failingStore(): FailingStore {
  const real = memoryStore();
  const failing: Omit<FailingStore, 'store'> = { seen: new Set(), failed: new Set(), fails: false, when: 'before' };
  const store: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(real) as [string, (...args: unknown[]) => unknown][])
    store[name] = async (...args: unknown[]) => {
      const place = `${name} ${kindOf(String(args[0]))}`;
      failing.seen.add(place);
      const isFailing = typeof failing.fails === 'boolean' ? failing.fails : failing.fails(place);
      if (!isFailing) return method(...args);
      failing.failed.add(place);
      if (failing.when === 'after') method(...args);
      throw new Unreachable();
    };
  return Object.assign(failing, { store: store as unknown as Store });
}

/** A bus whose methods fail while `away` is true. */
export function failingBus(bus: Bus, how: 'throws' | 'rejects'): Bus & { away: boolean } {
  const check = (): void | Promise<void> => {
    if (!failing.away) return undefined;
    if (how === 'rejects') return Promise.reject(new Unreachable());
    throw new Unreachable();
  };
  const failing = {
    away: false,
    publish: (topic: string, message: unknown) => {
      const failed = check();
      return failed ?? bus.publish(topic, message);
    },
    subscribe: (topic: string, listener: (message: unknown) => void, missed?: () => void) => {
      const failed = check() as Promise<never> | undefined;
      return failed ?? bus.subscribe(topic, listener, missed);
    },
  };
  return failing;
}

/** A bus that tells all its subscribers that they may have missed messages, when `interrupt` is called. While `isDeaf` is true, they do. */
export function interruptibleBus(bus: Bus): Bus & { isDeaf: boolean; interrupt(): void } {
  const interruptions: (() => void)[] = [];
  const interruptible = {
    isDeaf: false,
    publish: (topic: string, message: unknown) => bus.publish(topic, message),
    subscribe(topic: string, listener: (message: unknown) => void, missed?: () => void) {
      if (missed !== undefined) interruptions.push(missed);
      return bus.subscribe(topic, (message) => {
        if (!interruptible.isDeaf) listener(message);
      });
    },
    interrupt() {
      interruptible.isDeaf = false;
      for (const missed of interruptions) missed();
    },
  };
  return interruptible;
}
