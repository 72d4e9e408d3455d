import { createLog, type Change, type ChangeLog } from './change.ts';
import type { Part } from '../values/schema/shape.ts';

/** What goes along while schemas are compared. */
export interface Walk {
  readonly log: ChangeLog;
  readonly depth: number;
  /** Pairs that are being compared: what leads back to one of them brings nothing new. */
  readonly open: ReadonlySet<string>;
  /** How many pairs may still be compared. */
  readonly budget: { left: number };
  /** A number for each schema, for `open`. */
  readonly numbers: Map<unknown, number>;
  /** Compares what two lists of schemas say together about one value. */
  readonly compare: (before: readonly Part[], after: readonly Part[], path: string, walk: Walk) => void;
}

/** The changes between two lists of schemas, apart from all others, as they are for what clients send. */
export function changesBetween(before: readonly Part[], after: readonly Part[], walk: Walk): readonly Change[] {
  const log = createLog('input');
  walk.compare(before, after, '', { ...walk, log });
  return log.changes;
}
