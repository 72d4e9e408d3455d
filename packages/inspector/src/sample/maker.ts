import { shapeOf } from '../values/schema/read-shape.ts';
import type { Part } from '../values/schema/shape.ts';

/** The context of a whole sample. */
export interface Maker {
  readonly optional: boolean;
  readonly seed: number;
  /** The number of schemas that may still be processed. */
  readonly budget: { left: number };
  /** Returns whether a value matches a schema. */
  fits(part: Part, value: unknown): boolean;
  /** Returns whether a name matches a pattern. */
  matches(pattern: string, name: string): boolean;
  /** A value for schemas that apply together. Undefined if none was found. */
  make(parts: readonly Part[], spot: Spot): unknown;
}

/** The position in the sample for which a value is generated. */
export interface Spot {
  /** The name of the property. */
  readonly name: string | undefined;
  /** The index of the candidate: 0 is the most plausible. */
  readonly turn: number;
  readonly depth: number;
  /** The schemas above this position: one that occurs again is recursive. */
  readonly stack: readonly unknown[];
  /** The choices already made. */
  readonly done: ReadonlySet<unknown>;
}

/** Returns whether one of the schemas is recursive at this position. */
export function isAgain(parts: readonly Part[], { stack }: Spot): boolean {
  return shapeOf(parts).flat.some(({ schema }) => stack.includes(schema));
}

/** A position inside this one. */
export function inside(spot: Spot, name: string | undefined, turn: number): Spot {
  return {
    name,
    turn,
    depth: spot.depth + 1,
    stack: spot.stack,
    done: new Set(),
  };
}
