import type { Span } from '../../../../src/api/views.ts';

/** The most rows; further simultaneous requests overlap. */
const MAX_ROWS = 4;
/** The smallest width of a bar, as a fraction of the range, so that it can be clicked. */
const LEAST = 0.004;

/** A request with its position: `left` and `width` are fractions of the visible range. */
export interface PlacedSpan {
  readonly span: Span;
  readonly row: number;
  readonly left: number;
  readonly width: number;
}

/** Assigns overlapping requests to separate rows. Undefined `ms`: it extends to the end. */
export function placeSpans(
  spans: readonly Span[],
  from: number,
  to: number,
): { readonly placed: readonly PlacedSpan[]; readonly rows: number } {
  const time = Math.max(1, to - from);
  const ends: number[] = [];
  const placed = spans
    .toSorted((a, b) => a.at - b.at || a.n - b.n)
    .map((span): PlacedSpan => {
      const left = Math.min(1, Math.max(0, (span.at - from) / time));
      const end = span.ms === undefined ? 1 : Math.min(1, (span.at + span.ms - from) / time);
      const width = Math.min(1 - left, Math.max(LEAST, end - left));
      const free = ends.findIndex((taken) => taken <= left);
      const row = free >= 0 ? free : Math.min(ends.length, MAX_ROWS - 1);
      ends[row] = Math.max(ends[row] ?? 0, left + width);
      return { span, row, left, width };
    });
  return { placed, rows: Math.max(1, ends.length) };
}
