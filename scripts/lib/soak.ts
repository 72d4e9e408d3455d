// For tests with many rounds or rows: `npm test` runs a part of them, `npm run soak` all.

/** Whether this is `npm run soak`. */
const isSoak = process.env['TENON_SOAK'] === '1';

/** The number of rounds of a test. */
export function rounds(inTest: number, inSoak: number): number {
  return isSoak ? inSoak : inTest;
}

/**
 * The rows that a test tries: every `step`-th in `npm test`. If rows are combinations of lists whose lengths are coprime to `step`,
 * every value of every list occurs in the sample.
 */
export function sample<T>(rows: readonly T[], step: number): readonly T[] {
  return isSoak ? rows : rows.filter((_, index) => index % step === 0);
}
