import { OverBudget, spend } from '../budget.ts';
import type { Budget } from '../budget.ts';

const MAX_DEPTH = 200;

/** Equality of JSON values: ignores the order of members; 1 and 1.0 are equal. */
export function sameJson(a: unknown, b: unknown, budget: Budget, depth = 0): boolean {
  spend(budget, 1);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth > MAX_DEPTH) throw new OverBudget('it is nested too deep');
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => sameJson(item, b[index], budget, depth + 1));
  }
  const names = presentNames(a);
  if (names.length !== presentNames(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameJson(member(a, name), member(b, name), budget, depth + 1));
}

/** A collection of JSON values that finds an equal one in constant time. */
export interface JsonIndex {
  /** The number with which an equal value was added. */
  find(value: unknown, budget: Budget): number | undefined;
  /** The same, but adds the value if there is none. */
  place(value: unknown, as: number, budget: Budget): number | undefined;
}

interface Entry {
  readonly value: object;
  readonly as: number;
  /** Another value with the same hash. */
  readonly next: Entry | undefined;
}

export function makeJsonIndex(): JsonIndex {
  const plain = new Map<unknown, number>();
  const composite = new Map<number, Entry>();
  const lookUp = (value: object, key: number, budget: Budget): number | undefined => {
    for (let entry = composite.get(key); entry !== undefined; entry = entry.next) {
      if (sameJson(entry.value, value, budget)) return entry.as;
    }
    return undefined;
  };
  return {
    find(value, budget) {
      spend(budget, typeof value === 'string' ? 2 + (value.length >> 4) : 2);
      if (typeof value !== 'object' || value === null) return plain.get(value);
      return composite.size === 0 ? undefined : lookUp(value, hash(value, budget), budget);
    },
    place(value, as, budget) {
      spend(budget, typeof value === 'string' ? 6 + (value.length >> 4) : 6);
      if (typeof value !== 'object' || value === null) {
        const known = plain.get(value);
        if (known === undefined) plain.set(value, as);
        return known;
      }
      const key = hash(value, budget);
      const known = lookUp(value, key, budget);
      if (known === undefined) composite.set(key, { value, as, next: composite.get(key) });
      return known;
    },
  };
}

// Unknown to peers, so they can't choose values with equal hashes. (If they could, the budget would end it.)
const SEED = Math.floor(Math.random() * 0x7fffffff);

function hash(value: unknown, budget: Budget, depth = 0): number {
  if (typeof value === 'string') return hashText(value, budget);
  if (typeof value === 'number') return hashNumber(value);
  if (typeof value !== 'object' || value === null) return mix(SEED, value === null ? 1 : value === true ? 2 : 3);
  if (depth > MAX_DEPTH) throw new OverBudget('it is nested too deep');
  if (Array.isArray(value)) {
    spend(budget, 1 + value.length * 2);
    let sum = mix(SEED, 4);
    for (const item of value) sum = mix(sum, hash(item, budget, depth + 1));
    return sum;
  }
  const names = presentNames(value);
  spend(budget, 4 + names.length * 3);
  let sum = mix(SEED, 5);
  // Hashes are added, so that the order of members makes no difference.
  for (const name of names) sum = (sum + mix(hashText(name, budget), hash(member(value, name), budget, depth + 1))) | 0;
  return sum;
}

function mix(a: number, b: number): number {
  const mixed = Math.imul(a ^ b, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function hashText(text: string, budget: Budget): number {
  spend(budget, text.length >> 2);
  let sum = SEED;
  for (let at = 0; at < text.length; at += 1) sum = mix(sum, text.charCodeAt(at));
  return sum;
}

function hashNumber(value: number): number {
  return mix(mix(SEED, value | 0), (value % 1) * 0x7fffffff + value / 0x100000000);
}

/** The names of the members that exist in JSON: `undefined` counts as missing. */
export function presentNames(value: object, names: readonly string[] = Object.keys(value)): readonly string[] {
  for (const name of names)
    if (member(value, name) === undefined) return names.filter((key) => member(value, key) !== undefined);
  return names;
}

/** The own member of an object with this name. */
export function member(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}

/** Does the object have an own member with this name? */
export function has(value: object, name: string): boolean {
  return Object.hasOwn(value, name) && member(value, name) !== undefined;
}
