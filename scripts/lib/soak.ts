// Tests of many rounds or rows: a part of them runs in `npm test`, all of them in `npm run soak`.

/** Is this `npm run soak`? */
const isSoak = process.env['TENON_SOAK'] === '1';

/** How many rounds a test makes. */
export function rounds(inTest: number, inSoak: number): number {
  return isSoak ? inSoak : inTest;
}

/**
 * The rows that a test tries: every `step`-th in `npm test`. Where rows are made of lists whose lengths have no factor in common with `step`,
 * each value of each list is among them.
 */
export function sample<T>(rows: readonly T[], step: number): readonly T[] {
  return isSoak ? rows : rows.filter((_, index) => index % step === 0);
}
