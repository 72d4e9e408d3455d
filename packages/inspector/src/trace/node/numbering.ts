/** What the numbers in a file have to do with the places of its lines, which count. */
export interface Numbering {
  /** Takes the number that the line at the next place says. Gives whether it is the one that was expected. */
  next(said: number | undefined): boolean;
  /** The place of the line that the line at a place means by a number. Undefined where none can be told. */
  placeOf(said: number, from: number): number | undefined;
}

/** A row of lines numbered without gaps. */
interface Run {
  /** The place of its first line. */
  readonly place: number;
  /** The number its first line says. */
  readonly said: number;
  length: number;
}

/** A file with more gaps in its numbers was not written by a recorder: references between its lines are not followed. */
const MAX_RUNS = 10_000;

/**
 * Lines are numbered 1, 2, 3 … without gaps. A file from which lines were removed, or two files joined, breaks that; then a line is
 * called by its place, and what its neighbours cite is looked up in the row of lines they are in, then in those before.
 */
export function createNumbering(): Numbering {
  const runs: Run[] = [];
  let places = 0;
  return {
    next(said) {
      const place = ++places;
      const last = runs.at(-1);
      const expected = last === undefined ? 1 : last.said + (place - last.place);
      // A damaged line says nothing; its neighbours do.
      if (said === undefined || said === expected) {
        if (last === undefined) runs.push({ place, said: expected, length: 1 });
        else last.length = place - last.place + 1;
        return true;
      }
      if (runs.length < MAX_RUNS) runs.push({ place, said, length: 1 });
      return false;
    },
    placeOf(said, from) {
      if (from > places || runs.length >= MAX_RUNS) return undefined;
      for (let at = runs.length - 1; at >= 0; at--) {
        const run = runs[at]!;
        if (said < run.said || said >= run.said + run.length) continue;
        const place = run.place + (said - run.said);
        if (place <= from) return place;
      }
      return undefined;
    },
  };
}
