// Whatever a peer says, nothing goes uncaught: each value that a peer can send, wrong in each way, in processes that would end at the
// first error that nobody catches.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rounds } from '../../../../scripts/lib/soak.ts';
import type { Outcome } from './report.ts';

/** One case of so many is run in `npm test`. It divides neither number of wrong values, so that each is tried in many places. */
const STEP = rounds(5, 1);

/** Runs a group of tables. Those of all groups run at once. */
async function outcomeOf(group: string): Promise<Outcome> {
  const program = fileURLToPath(new URL('run.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--unhandled-rejections=strict', program, group, String(STEP)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const text = (await child.stdout.toArray()).join('');
  const code = await closed;
  assert.ok(code === 0 && text !== '', `The process ended with code ${code}, and said: ${text}`);
  return JSON.parse(text) as Outcome;
}

const groups: readonly [group: string, cases: number][] = [
  ['what servers say to a client', 5_000],
  ['what clients say to a server', 4_000],
  ['what is said of authorization', 1_800],
];
const outcomes = groups.map(([group]) => outcomeOf(group));
// Each is looked at by its own test.
for (const outcome of outcomes) outcome.catch(() => {});

for (const [index, [group, cases]] of groups.entries())
  test(`no wrong value in ${group} ends the process, hangs, or spoils what comes after it`, async () => {
    const { cases: found, ran, failures } = await outcomes[index]!;
    assert.equal(failures.join('\n\n'), '');
    assert.ok(found >= cases, `there are only ${found} values`);
    assert.equal(ran, Math.ceil(found / STEP));
  });
