import type { TypeNode } from './type-node.ts';

/** The values of JSON Schema that are objects. */
export type Schema = Readonly<Record<string, unknown>>;

/** How many parts of schemas are read. A peer's schemas may be large, and references repeat their parts. */
export interface Budget {
  /** How many more. */
  left: number;
}

/** The reading of one schema. */
export interface Reading {
  /** The type is what callers write, and not what they get. */
  readonly isInput: boolean;
  /**
   * The type of a part of the schema. `depth`: how many types it is inside of. `isPart`: others say more about the same value, so it is not
   * said what they may say.
   */
  read(schema: unknown, depth: number, isPart?: boolean): TypeNode;
  /** Takes so much of the budget. False: there is not so much left. */
  spend(count: number): boolean;
}

/** Why a type is unknown whose schema was not read to the end. */
export const TOO_LARGE = 'the schema is too large';

/** The own member of an object. */
export function own(schema: Schema, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** Compares names by their UTF-16 units, so that the order is the same everywhere. */
export function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What texts count against the budget: a part for every 100 characters. */
export function textCost(texts: readonly string[]): number {
  return Math.floor(texts.reduce((length, text) => length + text.length, 0) / 100);
}
