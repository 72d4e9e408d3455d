import type { TypeNode } from './type-node.ts';

/** A JSON Schema that is an object. */
export type Schema = Readonly<Record<string, unknown>>;

/** The number of parts of schemas that may be read. A peer's schemas may be large, and references repeat their parts. */
export interface Budget {
  /** The number of parts that may still be read. */
  left: number;
}

/** The reading of one schema. */
export interface Reading {
  /** True if the type is for values that callers write, not for results. */
  readonly isInput: boolean;
  /**
   * The type of a part of the schema. `depth`: the number of types around it. `isPart`: other parts describe the same value, so the type
   * omits members that they may declare.
   */
  read(schema: unknown, depth: number, isPart?: boolean): TypeNode;
  /** Takes `count` from the budget. False if less is left. */
  spend(count: number): boolean;
}

/** The reason why a type is unknown whose schema was not completely read. */
export const TOO_LARGE = 'the schema is too large';

/** The own member of an object. */
export function own(schema: Schema, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** Compares names by their UTF-16 units, so that the order is the same everywhere. */
export function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The cost of texts: one part for every 100 characters. */
export function textCost(texts: readonly string[]): number {
  return Math.floor(texts.reduce((length, text) => length + text.length, 0) / 100);
}
