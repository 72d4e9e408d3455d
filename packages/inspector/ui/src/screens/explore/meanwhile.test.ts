import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../../../src/trace/filter.ts';
import { duringCall, filtersOf } from './meanwhile.ts';
import { tokensIn, writtenIn } from './written.ts';

test('the filters are valid for any session name', () => {
  for (const session of ['it#1', 'a "b"', 'a\\', '*', '-n'])
    for (const response of [undefined, 12])
      for (const filter of Object.values(filtersOf({ session, request: 10, response })))
        assert.equal(parseFilter(filter).problem, undefined, filter);
});

test('lines before the answer and right after it, up to the next request, belong to a call', () => {
  const rows = [
    { n: 11, at: 1_010 },
    { n: 13, at: 1_030 },
    { n: 14, at: 1_240 },
    { n: 15, at: 9_000 },
  ];
  const answer = { n: 12, at: 1_020 };
  const numbers = (next?: number): number[] => duringCall(rows, answer, next).map(({ n }) => n);
  assert.deepEqual(numbers(), [11, 13, 14]);
  assert.deepEqual(numbers(14), [11, 13]);
  assert.deepEqual(
    duringCall(rows, undefined, undefined).map(({ n }) => n),
    [11, 13, 14, 15],
    'without an answer all that came since',
  );
});

test('if there are many lines, the last ones are shown', () => {
  const rows = Array.from({ length: 500 }, (_, n) => ({ n, at: n }));
  assert.deepEqual(duringCall(rows, undefined, undefined).at(-1)?.n, 499);
  assert.ok(duringCall(rows, undefined, undefined).length <= 50);
});

test('consecutive lines of stderr are one text, and log messages have their level', () => {
  const message = (params: object): string =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
  assert.deepEqual(
    writtenIn([
      { n: 1, kind: 'stderr', text: 'Error: no' },
      { n: 2, kind: 'stderr', text: '    at x' },
      { n: 3, kind: 'message', text: message({ level: 'error', logger: 'db', data: 'down' }) },
      { n: 4, kind: 'message', text: message({ level: 'info', data: { a: 1 } }) },
      { n: 5, kind: 'message', text: '{"cut' },
      { n: 6, kind: 'stderr', text: 'end' },
    ]),
    [
      { what: 'stderr', text: 'Error: no\n    at x', lines: [1, 2] },
      { what: 'error', text: 'db: down', lines: [3] },
      { what: 'info', text: '{"a":1}', lines: [4] },
      { what: 'log', text: '{"cut', lines: [5] },
      { what: 'stderr', text: 'end', lines: [6] },
    ],
  );
});

test('progress, questions and answers of a call are shown, in every revision', () => {
  const said = (n: number, from: string, message: object) => ({
    n,
    kind: 'message',
    from,
    text: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const request = said(1, 'client', { id: 1, method: 'tools/call', params: { _meta: { progressToken: 7 } } });
  const progress = (n: number, progressToken: unknown, more: object) =>
    said(n, 'server', { method: 'notifications/progress', params: { progressToken, ...more } });
  const lines = [
    request,
    progress(2, 7, { progress: 1, total: 2 }),
    progress(3, 7, { progress: 2, total: 2, message: 'done' }),
    progress(4, '7', { progress: 9 }),
    said(5, 'server', { id: 'q', method: 'elicitation/create', params: { message: 'Who?' } }),
    said(6, 'client', { id: 'q', result: { action: 'accept', content: { a: 1 } } }),
    said(7, 'server', { id: 'r', method: 'roots/list' }),
    said(8, 'server', { id: 'p', method: 'ping' }),
    said(9, 'server', {
      id: 1,
      result: {
        resultType: 'input_required',
        inputRequests: { b: { method: 'elicitation/create', params: { message: 'Where?' } } },
      },
    }),
    said(10, 'client', { id: 2, method: 'tools/call', params: { inputResponses: { b: { action: 'decline' } } } }),
    said(11, 'server', { id: 2, result: { content: [] } }),
  ];
  assert.deepEqual(writtenIn(lines, tokensIn([request])), [
    { what: 'progress', text: '1 of 2\n2 of 2 · done', lines: [2, 3] },
    { what: 'question', text: 'Who?', lines: [5] },
    { what: 'answer', text: 'accept {"a":1}', lines: [6] },
    { what: 'question', text: 'roots/list', lines: [7] },
    { what: 'question', text: 'Where?', lines: [9] },
    { what: 'answer', text: 'decline', lines: [10] },
  ]);
});
