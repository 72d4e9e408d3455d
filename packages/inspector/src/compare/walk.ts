import { createLog, type Change, type ChangeLog } from './change.ts';
import type { Part } from '../values/schema/shape.ts';

/** The state of a comparison of schemas. */
export interface Walk {
  readonly log: ChangeLog;
  readonly depth: number;
  /** Pairs being compared: a reference back to one of them adds nothing. */
  readonly open: ReadonlySet<string>;
  /** The number of pairs that may still be compared. */
  readonly budget: { left: number };
  /** An identifier for each schema, for `open`. */
  readonly numbers: Map<unknown, number>;
  /** Compares two lists of schemas, each of which applies to one value. */
  readonly compare: (before: readonly Part[], after: readonly Part[], path: string, walk: Walk) => void;
}

/** The changes between two lists of schemas, apart from all other changes, in the direction `input`. */
export function changesBetween(before: readonly Part[], after: readonly Part[], walk: Walk): readonly Change[] {
  const log = createLog('input');
  walk.compare(before, after, '', { ...walk, log });
  return log.changes;
}
