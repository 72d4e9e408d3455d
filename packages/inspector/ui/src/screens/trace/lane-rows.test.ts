import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Span } from '../../../../src/api/views.ts';
import { placeSpans } from './lane-rows.ts';

function span(n: number, at: number, ms?: number): Span {
  return {
    n,
    from: 'client',
    method: 'ping',
    at,
    ms,
    outcome: ms === undefined ? 'pending' : 'ok',
  };
}

function rowsOf(spans: readonly Span[]): readonly (readonly [n: number, row: number])[] {
  return placeSpans(spans, 0, 100).placed.map(({ span: { n }, row }) => [n, row]);
}

test('consecutive requests share a row, simultaneous ones get rows of their own', () => {
  assert.deepEqual(rowsOf([span(3, 50, 10), span(1, 0, 20), span(2, 10, 5)]), [
    [1, 0],
    [2, 1],
    [3, 0],
  ]);
});

test('an unanswered request extends to the end', () => {
  const [open, next] = placeSpans([span(1, 20), span(2, 60, 1)], 0, 100).placed;
  assert.deepEqual([open?.left, open?.width, next?.row], [0.2, 0.8, 1]);
});

test('the shortest bar can still be clicked, and no bar exceeds the range', () => {
  const { placed } = placeSpans([span(1, 50, 0), span(2, 100, 0), span(3, -50, 500)], 0, 100);
  for (const { left, width } of placed) assert.ok(left >= 0 && left + width <= 1.000_001, `${left} ${width}`);
  assert.ok(placed.find(({ span: { n } }) => n === 1)!.width > 0);
});

test('any number of simultaneous requests takes a few rows', () => {
  const many = Array.from({ length: 500 }, (_, n) => span(n, n / 100, 90));
  assert.equal(placeSpans(many, 0, 100).rows, 4);
});
