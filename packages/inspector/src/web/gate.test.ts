import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGate } from './gate.ts';
import type { Refusal } from './refusal.ts';

function statusOf(act: () => unknown): number {
  try {
    act();
    return 200;
  } catch (error) {
    return (error as Refusal).status;
  }
}

test('after too many wrong codes, one code may be tried at a time', () => {
  let time = 0;
  const gate = createGate({ port: 1, now: () => time });
  const code = gate.newCode();
  for (let i = 0; i < 10; i++)
    assert.equal(
      statusOf(() => gate.enter(`${i}`)),
      401,
    );
  assert.equal(
    statusOf(() => gate.enter(code)),
    429,
  );
  time += 5_999;
  assert.equal(
    statusOf(() => gate.enter(code)),
    429,
  );
  time += 1;
  assert.equal(
    statusOf(() => gate.enter('x')),
    401,
  );
  assert.equal(
    statusOf(() => gate.enter('x')),
    429,
  );
  time += 6_000;
  assert.equal(
    statusOf(() => gate.enter(code)),
    200,
  );
});

test('even after a long wait there are at most ten tries', () => {
  let time = 0;
  const gate = createGate({ port: 1, now: () => time });
  time += 10_000_000;
  const statuses = Array.from({ length: 12 }, (_, i) => statusOf(() => gate.enter(`${i}`)));
  assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429, 429]);
});

test('there are at most 32 sessions: the oldest is dropped', () => {
  const gate = createGate({ port: 1 });
  const cookies = Array.from({ length: 33 }, () => gate.enter(gate.newCode()).split(';')[0]!);
  assert.equal(gate.sessionOf(cookies[0]), undefined);
  assert.equal(new Set(cookies.slice(1).map((cookie) => gate.sessionOf(cookie))).size, 32);
  assert.ok(!cookies.slice(1).some((cookie) => gate.sessionOf(cookie) === undefined));
});

test('the id of a session does not reveal its cookie', () => {
  const gate = createGate({ port: 1 });
  const cookie = gate.enter(gate.newCode()).split(';')[0]!;
  assert.ok(!cookie.includes(gate.sessionOf(cookie)!));
  assert.equal(gate.sessionOf(`tenon-inspector-1=${gate.sessionOf(cookie)}`), undefined);
});
