import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceLine } from '../../trace/line.ts';
import { createRedactor } from '../redact.ts';
import { type Belonging, createTapSessions } from './tap-sessions.ts';

function create() {
  const lines: TraceLine[] = [];
  const sink = {
    now: () => 0,
    append(line: Omit<TraceLine, 'n' | 'at'>) {
      const appended = { n: lines.length + 1, at: 0, ...line };
      lines.push(appended);
      return appended;
    },
  };
  const sessions = createTapSessions(
    sink,
    { name: 'x', transport: 'http', target: '', recorder: 'tap' },
    createRedactor(),
  );
  const of = (more: Partial<Belonging> = {}) =>
    sessions.of({ url: '/mcp', id: undefined, initializes: false, listens: false, ...more });
  return { sessions, of, lines };
}

test('a legacy session is found again by its id, until it is over', () => {
  const { sessions, of, lines } = create();
  const one = of({ initializes: true });
  const two = of({ initializes: true });
  sessions.named(one, 'a');
  sessions.named(two, 'b');
  assert.equal(of({ id: 'a' }), one);
  assert.equal(of({ id: 'b', listens: true }), two);
  sessions.ended('a');
  assert.notEqual(of({ id: 'a' }), one);
  assert.deepEqual(
    lines.filter(({ kind }) => kind === 'session').map(({ session }) => session),
    ['x', 'x-2', 'x-3'],
  );
  assert.equal(lines.filter(({ text }) => text.includes('not recorded')).length, 1);
});

test('requests without a session share one, apart from the legacy sessions', () => {
  const { sessions, of } = create();
  const modern = of();
  assert.equal(of(), modern);
  const legacy = of({ initializes: true });
  sessions.answered(legacy, { url: '/mcp', id: undefined, initializes: true, listens: false }, 200);
  sessions.named(legacy, 'a');
  const other = of();
  assert.notEqual(other, legacy);
  assert.equal(of(), other);
});

test('a client that tries several revisions has one session', () => {
  const { sessions, of } = create();
  const probe = of();
  const first: Belonging = { url: '/mcp', id: undefined, initializes: true, listens: false };
  assert.equal(of({ initializes: true }), probe);
  sessions.answered(probe, first, 400);
  assert.equal(of({ initializes: true }), probe);
  sessions.answered(probe, first, 405);
  const stream: Belonging = { ...first, initializes: false, listens: true };
  assert.equal(of({ listens: true }), probe);
  sessions.answered(probe, stream, 200);
  sessions.endpoint(probe, '/messages?s=1');
  assert.equal(of({ url: '/messages?s=1' }), probe);
});

test('a session without an id continues without one', () => {
  const { sessions, of } = create();
  const begun = of({ initializes: true });
  sessions.answered(begun, { url: '/mcp', id: undefined, initializes: true, listens: false }, 200);
  assert.equal(of({ listens: true }), begun);
  assert.equal(of(), begun);
  assert.notEqual(of({ initializes: true }), begun);
});
