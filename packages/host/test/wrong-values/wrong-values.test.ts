// If a server sends any invalid value, the host continues to serve its other servers, and reports the problem.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rounds } from '../../../../scripts/lib/soak.ts';
import type { Verdict } from './run-table.ts';
import { TABLE } from './table.ts';

const PROGRAM = fileURLToPath(new URL('run-table.ts', import.meta.url));
const PARTS = 2;
/** In `npm test` each place is tried with every fifth kind of value. */
const STEP = rounds(5, 1);

/** Runs a part of the table in a process that any error outside of a call ends. */
async function verdictsOf(part: number): Promise<Verdict[]> {
  const child = spawn(
    process.execPath,
    ['--unhandled-rejections=strict', PROGRAM, String(part), String(PARTS), String(STEP)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<unknown>((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const lines = out.split('\n').filter((line) => line !== '');
  assert.equal(code, 0, `It ended with ${String(code)} after ${lines.at(-1)}:\n${errors}`);
  return lines.map((line) => JSON.parse(line) as Verdict);
}

const verdicts = Promise.all(Array.from({ length: PARTS }, (_, part) => verdictsOf(part))).then((all) => all.flat());
// Each test reports its failure.
verdicts.catch(() => {});

for (const [era, document, places] of TABLE) {
  test(`a host withstands wrong values of every kind in ${document} (${era})`, async () => {
    const own = (await verdicts).filter((verdict) => verdict.era === era && verdict.document === document);
    assert.equal(own.length, places.length);
    const faults = own.flatMap((verdict) => verdict.faults.map((fault) => `${verdict.path || 'the whole'}: ${fault}`));
    assert.deepEqual(faults, []);
  });
}
