import type { Span } from '../../../../src/api/views.ts';

/** More that happens at once than this is drawn over each other. */
const MAX_ROWS = 4;
/** A bar that is narrower than this part of the time is drawn as wide, so that it can be hit. */
const LEAST = 0.004;

/** A request in its place: `left` and `width` in parts of the time that is seen. */
export interface PlacedSpan {
  readonly span: Span;
  readonly row: number;
  readonly left: number;
  readonly width: number;
}

/** Puts requests that overlap below each other. Undefined `ms`: it goes on until the end. */
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
