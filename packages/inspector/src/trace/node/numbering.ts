/** Relates the numbers in a file to the positions of its lines, by which lines are identified. */
export interface Numbering {
  /** Takes the number in the line at the next position. Returns whether it is the expected one. */
  next(stated: number | undefined): boolean;
  /** The position of the line that the line at `from` cites by a number. Undefined if it cannot be determined. */
  placeOf(stated: number, from: number): number | undefined;
}

/** A run of lines numbered without gaps. */
interface Run {
  /** The position of its first line. */
  readonly place: number;
  /** The number in its first line. */
  readonly stated: number;
  length: number;
}

/** A file with more gaps in its numbers was not written by a recorder, so references between its lines are not resolved. */
const MAX_RUNS = 10_000;

/**
 * Lines are numbered 1, 2, 3 … without gaps. That fails if lines were removed from a file, or two files joined. Then a line is
 * identified by its position, and a citation is resolved first in the run of the citing line, then in the runs before it.
 */
export function createNumbering(): Numbering {
  const runs: Run[] = [];
  let places = 0;
  return {
    next(stated) {
      const place = ++places;
      const last = runs.at(-1);
      const expected = last === undefined ? 1 : last.stated + (place - last.place);
      // A damaged line has no number; its neighbours do.
      if (stated === undefined || stated === expected) {
        if (last === undefined) runs.push({ place, stated: expected, length: 1 });
        else last.length = place - last.place + 1;
        return true;
      }
      if (runs.length < MAX_RUNS) runs.push({ place, stated, length: 1 });
      return false;
    },
    placeOf(stated, from) {
      if (from > places || runs.length >= MAX_RUNS) return undefined;
      for (let at = runs.length - 1; at >= 0; at--) {
        const run = runs[at]!;
        if (stated < run.stated || stated >= run.stated + run.length) continue;
        const place = run.place + (stated - run.stated);
        if (place <= from) return place;
      }
      return undefined;
    },
  };
}
