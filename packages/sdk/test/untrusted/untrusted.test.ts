// No message of a peer causes an uncaught error: each value that a peer can send, wrong in each way, in processes that would end at the
// first uncaught error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { outcomeOf } from './outcome.ts';

/** `npm test` runs only every n-th case. The step divides neither number of wrong values, so that each is tried in many places. */
const STEP = rounds(5, 1);
const PROGRAM = new URL('run.ts', import.meta.url);

const groups: readonly [group: string, cases: number][] = [
  ['messages of servers to a client', 5_000],
  ['messages of clients to a server', 4_000],
  ['authorization data', 1_200],
];
const outcomes = groups.map(([group]) => outcomeOf(PROGRAM, group, String(STEP)));
// Each test checks its own outcome.
for (const outcome of outcomes) outcome.catch(() => {});

for (const [index, [group, cases]] of groups.entries())
  test(`no wrong value in ${group} ends the process, hangs, or affects later cases`, async () => {
    const { cases: found, ran, failures } = await outcomes[index]!;
    assert.equal(failures.join('\n\n'), '');
    assert.ok(found >= cases, `there are only ${found} values`);
    assert.equal(ran, Math.ceil(found / STEP));
  });
