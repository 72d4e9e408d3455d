// A cluster keeps its promises while its nodes are killed and its database is away, and the checks would notice if it did not.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { connect } from 'tenon/client';
import { ENDS_WITH_PARENT } from '../scripts/lib/ends-with-parent.ts';
import { rounds } from '../scripts/lib/soak.ts';
import type { Fault } from './app.ts';
import { runChaos } from './chaos/chaos.ts';
import { History } from './chaos/history.ts';
import { readEffects, violationsOf } from './chaos/invariants.ts';

const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000);

test('`npm run cluster` starts nodes that answer in turn, and ends them', async () => {
  const args = [...ENDS_WITH_PARENT, join(import.meta.dirname, 'run.ts'), '--engine=sqlite', '--nodes=2', '--port=0'];
  const running = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let url = '';
  for await (const line of createInterface({ input: running.stdout })) {
    url = /in turn: (\S+)$/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
  const client = await connect(url);
  const answered = new Set<string>();
  for (let call = 0; call < 6; call++) answered.add(String(await client.call('node')));
  await client.close();
  assert.equal(answered.size, 2);
  const ended = once(running, 'exit');
  running.kill('SIGINT');
  assert.deepEqual(await ended, [0, null]);
  for (const pid of answered) assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});

// The bus of NATS has the tests of every bus in `npm test`.
for (const engine of (['postgres', 'redis', 'nats'] as const).slice(0, rounds(2, 3)))
  test(`no promise is broken while nodes are killed, on ${engine} (seed ${seed})`, async (t) => {
    const size = { kills: rounds(3, 500), acknowledged: rounds(60, 10_000), callMs: rounds(6_000, 20_000) };
    const { history, violations, attempts, acknowledged, ...report } = await runChaos({ engine, seed, ...size });
    t.diagnostic(`${report.kills} kills, ${report.stops} stops, ${report.cuts} cuts, ${report.tasks} tasks`);
    t.diagnostic(`${acknowledged} of ${attempts} calls acknowledged in ${report.seconds} s`);
    assert.deepEqual(violations, []);
    // On a busy machine, the store is away for most of the time of so few kills.
    assert.ok(acknowledged >= rounds(60, 0.6 * attempts), history.failures().join('\n'));
  });

describe('each broken promise is noticed', () => {
  const expected: Readonly<Record<Fault, RegExp>> = {
    'forgets-logins': /had logged in, and was asked to log in again/,
    forgets: /was acknowledged, and has no effect/,
    repeats: /was carried out again after it had been recorded/,
    'mixes-questions': /was asked '.*', which it has not called/,
    'mixes-results': /got the result of another call/,
    'mixes-progress': /got the progress of/,
    'mixes-users': /was taken for another user/,
    'skips-progress': /resumed, and got the steps 1,2,3,4,6,7,8,9,10/,
  };
  for (const faults of [
    ['forgets', 'mixes-users', 'skips-progress'],
    ['forgets-logins', 'repeats', 'mixes-questions', 'mixes-results', 'mixes-progress'],
  ] as const)
    test(`of a server that has the faults ${faults.join(', ')}`, async () => {
      const options = { engine: 'sqlite', seed: 1, nodes: 1, kills: 0, acknowledged: 60, callMs: 6_000 } as const;
      const { violations } = await runChaos({ ...options, faults });
      for (const fault of faults) assert.match(violations.join('\n'), expected[fault]);
    });

  const task = { name: 'a', tool: 'work', handle: {} } as const;
  const value = '{"value":"a"}';
  for (const [name, expected, tasks, effects] of [
    ['a task without an end', /The task a is lost/, [{ ...task, ends: [] }], ''],
    ['a task with two ends', /several ends/, [{ ...task, ends: [value, '{"error":"x"}'] }], 'effect a\n'],
    ['a task that ran twice', /ran 2 times/, [{ ...task, ends: [value, value] }], 'effect a\neffect a\n'],
    ['a task with a result and no effect', /has no effect/, [{ ...task, ends: [value, value] }], ''],
    [
      'a task that runs again, with a result and no effect',
      /has no effect/,
      [{ ...task, tool: 'rework', ends: [value] }],
      '',
    ],
    ['a task that failed for another reason', /ended with/, [{ ...task, ends: ['{"error":"x"}'] }], ''],
    [
      'a task that has to run again, and failed',
      /ended with/,
      [{ ...task, tool: 'rework', ends: ['{"error":"x"}'] }],
      '',
    ],
  ] as const)
    test(name, () => {
      const history = new History();
      history.tasks.push(...tasks.map((each) => ({ ...each, ends: [...each.ends] })));
      assert.match(violationsOf(history, readEffects(effects)).join('\n'), expected);
    });

  test('an error that says that nothing was done, although it was', () => {
    const history = new History();
    const failure = { claim: 'not done', message: 'no' } as const;
    history.attempts.push({ client: 'c', kind: 'act', name: 'a', failure });
    assert.match(violationsOf(history, readEffects('effect a\n')).join('\n'), /says that nothing was done/);
    assert.deepEqual(violationsOf(history, readEffects('')), []);
  });

  test('an action that happened twice, although it is not safe to repeat', () => {
    const history = new History();
    history.attempts.push({ client: 'c', kind: 'act', name: 'a' });
    assert.deepEqual(violationsOf(history, readEffects('effect a\n')), []);
    assert.match(violationsOf(history, readEffects('effect a\neffect a\n')).join('\n'), /carried out 2 times/);
  });
});
