// The simplest possible store, without limits, and random operations for comparing stores with it.

import fc from 'fast-check';
import type { Store } from 'tenon';

/** Keys that a careless implementation confuses with something else, or with each other. */
export const KEYS: readonly string[] = [
  ...['', 'a', 'ab', 'a%', 'a_', '%', '_', '*', 'a/b', 'a\0', 'a\0b', '\0', "'; --", 'A', 'é', 'e\u0301'],
  ...['\u{1f600}', '\ud83d', '\ude00', '\ud83d\ud83d', '\ufffd', '\uffff', '\u{10ffff}', '__proto__', 'constructor'],
];

interface Entry {
  readonly expires: number;
  /** JSON, or the values of a log as JSON. */
  readonly stored: string | readonly string[];
}

/** A map whose entries expire. */
export function createModel(start: number): { readonly store: Store; readonly clock: { now: number } } {
  const clock = { now: start };
  const entries = new Map<string, Entry>();
  const alive = (key: string): Entry | undefined => {
    const found = entries.get(key);
    return found !== undefined && found.expires > clock.now ? found : undefined;
  };
  const jsonOf = (key: string): string | undefined => {
    const stored = alive(key)?.stored;
    return typeof stored === 'string' ? stored : undefined;
  };
  const put = (key: string, stored: Entry['stored'], lifeMs: number): void => {
    entries.set(key, { stored, expires: clock.now + lifeMs });
  };
  const store: Store = {
    get(key) {
      const json = jsonOf(key);
      return json === undefined ? undefined : JSON.parse(json);
    },
    set: (key, value, lifeMs) => put(key, JSON.stringify(value), lifeMs),
    add(key, value, lifeMs) {
      if (alive(key) !== undefined) return false;
      put(key, JSON.stringify(value), lifeMs);
      return true;
    },
    swap(key, before, after, lifeMs) {
      const json = jsonOf(key);
      if (json === undefined || json !== JSON.stringify(before)) return false;
      put(key, JSON.stringify(after), lifeMs);
      return true;
    },
    keys(prefix, after, limit) {
      const found = [...entries.keys()].filter((key) => jsonOf(key) !== undefined && key.startsWith(prefix));
      return found
        .filter((key) => after === undefined || key > after)
        .toSorted()
        .slice(0, limit);
    },
    delete: (key) => void entries.delete(key),
    append(key, value, lifeMs) {
      const stored = alive(key)?.stored;
      const values = [...(typeof stored === 'object' ? stored : []), JSON.stringify(value)];
      put(key, values, lifeMs);
      return values.length;
    },
    read(key, after) {
      const stored = alive(key)?.stored;
      if (typeof stored !== 'object') return undefined;
      return { first: after + 1, values: stored.slice(after).map((json): unknown => JSON.parse(json)) };
    },
  };
  return { store, clock };
}

/** One step. A swap without `before` expects the current value. */
export type Operation =
  | { readonly kind: 'set' | 'add' | 'append'; readonly key: string; readonly value: unknown; readonly lifeMs: number }
  | {
      readonly kind: 'swap';
      readonly key: string;
      readonly before: unknown;
      readonly value: unknown;
      readonly lifeMs: number;
    }
  | { readonly kind: 'get' | 'delete'; readonly key: string }
  | { readonly kind: 'read'; readonly key: string; readonly after: number }
  | { readonly kind: 'keys'; readonly prefix: string; readonly after: string | undefined; readonly limit: number }
  | { readonly kind: 'wait'; readonly ms: number };

const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'ab', 'b') }, fc.constantFrom(...KEYS), fc.string());
/** As the events of a stream are stored. */
const longList = fc.tuple(fc.string(), fc.nat(9)).map(([text, n]) => [text + 'data: {"ä":1}\n\n'.repeat(100), 0, n]);
const value = fc.oneof(fc.constantFrom(1, 2, null, 'x'), longList, fc.jsonValue({ maxDepth: 3 }));
const lifeMs = fc.constantFrom(1, 5, 20, 1_000, 0.5, 1e13);

/** Steps that often affect each other, because most of them use a few keys. */
export const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('set', 'add', 'append'), key, value, lifeMs }),
    fc.record({
      kind: fc.constant('swap' as const),
      key,
      before: fc.oneof(fc.constant(undefined), value),
      value,
      lifeMs,
    }),
    fc.record({ kind: fc.constantFrom('get', 'delete'), key }),
    fc.record({ kind: fc.constant('read' as const), key, after: fc.nat(4) }),
    fc.record({
      kind: fc.constant('keys' as const),
      prefix: fc.oneof(fc.constantFrom('', 'a', '%', '\ud83d'), key),
      after: fc.option(key, { nil: undefined }),
      limit: fc.nat(6),
    }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 4, 10) }),
  ),
  { minLength: 1, maxLength: 60 },
);

/** Fills in a swap without `before`: it expects the current value in this store. */
export function resolved(step: Operation, store: Store): Operation {
  return step.kind === 'swap' && step.before === undefined ? { ...step, before: store.get(step.key) } : step;
}

/** Runs a step on a store. */
export function run(step: Exclude<Operation, { readonly kind: 'wait' }>, store: Store): unknown {
  switch (step.kind) {
    case 'set':
    case 'add':
    case 'append':
      return store[step.kind](step.key, step.value, step.lifeMs);
    case 'swap':
      return store.swap(step.key, step.before, step.value, step.lifeMs);
    case 'get':
    case 'delete':
      return store[step.kind](step.key);
    case 'read':
      return store.read(step.key, step.after);
    case 'keys':
      return store.keys(step.prefix, step.after, step.limit);
  }
}
