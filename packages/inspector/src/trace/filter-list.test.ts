import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFilterList, type FilterList, type SearchedTrace } from './filter-list.ts';
import { parseFilter } from './filter.ts';
import type { TraceLine } from './line.ts';
import { createTraceIndex, type TraceIndex } from './trace-index.ts';

const FILTERS = [
  'status:pending',
  'status:ok,error',
  'ms:>=2',
  '-status:ok',
  'method:tools/call',
  'needle',
  '-needle status:pending',
  'text:needle ms:>1',
  'kind:stderr',
  'status:cancelled',
  'nothing-is-like-this',
];

function growing() {
  const lines: TraceLine[] = [];
  const index: TraceIndex = createTraceIndex();
  let reads = 0;
  const trace: SearchedTrace = {
    index,
    read(from, to) {
      reads++;
      return lines.slice(from - 1, to);
    },
  };
  const add = (line: Omit<TraceLine, 'n' | 'session'>): void => {
    const whole = { ...line, n: lines.length + 1, session: 's' };
    lines.push(whole);
    index.add(whole);
  };
  return { lines, trace, add, reads: () => reads };
}

function numbersOf(list: FilterList): number[] {
  return Array.from({ length: list.length }, (_, place) => list.at(place));
}

function searchAll(list: FilterList, trace: SearchedTrace): void {
  while (list.searched < trace.index.length) list.search(trace.index.length, performance.now() + 1);
}

function listFor(text: string, trace: SearchedTrace): FilterList {
  return createFilterList(parseFilter(text).filter!, trace, () => undefined);
}

type Step =
  | { readonly do: 'ask'; readonly id: number; readonly word: boolean }
  | { readonly do: 'answer' | 'fail' | 'cancel'; readonly id: number }
  | { readonly do: 'noise' | 'search' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), id: fc.nat(5), word: fc.boolean() }),
  fc.record({ do: fc.constantFrom('answer' as const, 'fail' as const, 'cancel' as const), id: fc.nat(5) }),
  fc.record({ do: fc.constantFrom('noise' as const, 'search' as const) }),
);

function lineOf(step: Exclude<Step, { do: 'search' }>, at: number): Omit<TraceLine, 'n' | 'session'> {
  const text = (value: object): string => JSON.stringify({ jsonrpc: '2.0', ...value });
  switch (step.do) {
    case 'ask': {
      const params = { name: step.word ? 'needle' : 'other' };
      return { kind: 'message', from: 'client', at, text: text({ id: step.id, method: 'tools/call', params }) };
    }
    case 'answer':
      return { kind: 'message', from: 'server', at, text: text({ id: step.id, result: {} }) };
    case 'fail':
      return {
        kind: 'message',
        from: 'server',
        at,
        text: text({ id: step.id, error: { code: 1, message: 'needle' } }),
      };
    case 'cancel': {
      const params = { requestId: step.id };
      return { kind: 'message', from: 'client', at, text: text({ method: 'notifications/cancelled', params }) };
    }
    default:
      return { kind: 'stderr', from: 'server', at, text: 'a needle' };
  }
}

test('a list that grew with its trace equals the list made at the end, in any order of events', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { trace, add } = growing();
      const lists = FILTERS.map((text) => listFor(text, trace));
      for (const [i, what] of steps.entries()) {
        if (what.do === 'search') for (const list of lists) searchAll(list, trace);
        else add(lineOf(what, i));
      }
      for (const [i, list] of lists.entries()) {
        searchAll(list, trace);
        const fresh = listFor(FILTERS[i]!, trace);
        searchAll(fresh, trace);
        assert.deepEqual(numbersOf(list), numbersOf(fresh), FILTERS[i]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a request moves from pending to ok when its answer comes', () => {
  const { trace, add } = growing();
  const [pending, ok] = [listFor('status:pending', trace), listFor('status:ok', trace)];
  const search = (): void => [pending, ok].forEach((list) => searchAll(list, trace));
  add(lineOf({ do: 'ask', id: 1, word: false }, 0));
  search();
  assert.deepEqual([numbersOf(pending), numbersOf(ok)], [[1], []]);
  add(lineOf({ do: 'answer', id: 1 }, 1));
  search();
  assert.deepEqual([numbersOf(pending), numbersOf(ok)], [[], [1, 2]]);
});

test('a request that timed out, and one whose exchange was abandoned, are not pending in a list', () => {
  const { trace, add } = growing();
  const [pending, over] = [listFor('status:pending', trace), listFor('status:timeout,cancelled', trace)];
  const search = (): void => [pending, over].forEach((list) => searchAll(list, trace));
  add(lineOf({ do: 'ask', id: 1, word: false }, 0));
  add(lineOf({ do: 'ask', id: 2, word: false }, 1));
  add({ kind: 'http', from: 'client', at: 2, cause: 2, text: 'POST /mcp', http: { exchange: 1, part: 'request' } });
  search();
  assert.deepEqual([numbersOf(pending), numbersOf(over)], [[1, 2], []]);
  add({ kind: 'timer', at: 3, cause: 1, text: 'No answer to tools/call in 3 ms' });
  add({
    kind: 'http',
    from: 'client',
    at: 4,
    cause: 3,
    text: 'left before the end',
    http: { exchange: 1, part: 'end' },
  });
  search();
  assert.deepEqual([numbersOf(pending), numbersOf(over)], [[], [1, 2]]);
});

test('only new lines are tested', () => {
  const { trace, add, reads } = growing();
  const list = listFor('text:needle', trace);
  for (let i = 0; i < 1_000; i++) add(lineOf({ do: 'noise' }, i));
  searchAll(list, trace);
  const before = reads();
  searchAll(list, trace);
  assert.equal(reads(), before);
  add(lineOf({ do: 'noise' }, 1_000));
  searchAll(list, trace);
  assert.equal(reads(), before + 1);
  assert.equal(list.length, 1_001);
});

test('texts are read only if the facts do not decide', () => {
  const { trace, add, reads } = growing();
  for (let i = 0; i < 100; i++) {
    add(lineOf({ do: 'noise' }, i));
    add(lineOf({ do: 'ask', id: i, word: true }, i));
  }
  const list = listFor('needle kind:message', trace);
  searchAll(list, trace);
  assert.equal(list.length, 100);
  assert.equal(reads(), 0);
});

test('a search stops at its deadline and continues from there', () => {
  const { trace, add } = growing();
  for (let i = 0; i < 3_000; i++) add({ kind: 'stderr', from: 'server', at: i, text: 'x'.repeat(1_000) });
  const list = listFor('text:needle', trace);
  list.search(3_000, performance.now() - 1);
  assert.ok(list.searched > 0 && list.searched < 600, `${list.searched} lines at once`);
  list.search(list.searched + 10, Infinity);
  searchAll(list, trace);
  assert.equal(list.searched, 3_000);
});
