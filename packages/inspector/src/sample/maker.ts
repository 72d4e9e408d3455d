import { shapeOf } from '../values/schema/read-shape.ts';
import type { Part } from '../values/schema/shape.ts';

/** What holds for a whole sample. */
export interface Maker {
  readonly optional: boolean;
  readonly seed: number;
  /** How many schemas may still be looked at. */
  readonly budget: { left: number };
  /** Does a value fit a schema? */
  fits(part: Part, value: unknown): boolean;
  /** Does a name match a pattern? */
  matches(pattern: string, name: string): boolean;
  /** A value for schemas that hold together; undefined where none was found. */
  make(parts: readonly Part[], spot: Spot): unknown;
}

/** Where in the sample a value is made. */
export interface Spot {
  /** Of the property. */
  readonly name: string | undefined;
  /** Which of the possible values: 0 is the most plausible. */
  readonly turn: number;
  readonly depth: number;
  /** The schemas on the way here: one that comes again contains itself. */
  readonly stack: readonly unknown[];
  /** The choices that have been made. */
  readonly done: ReadonlySet<unknown>;
}

/** Does one of the schemas contain itself on the way here? */
export function isAgain(parts: readonly Part[], { stack }: Spot): boolean {
  return shapeOf(parts).flat.some(({ schema }) => stack.includes(schema));
}

/** A place inside of this one. */
export function inside(spot: Spot, name: string | undefined, turn: number): Spot {
  return {
    name,
    turn,
    depth: spot.depth + 1,
    stack: spot.stack,
    done: new Set(),
  };
}
