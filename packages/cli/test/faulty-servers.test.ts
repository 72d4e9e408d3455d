// What the command says about servers with the faults that their authors make most often.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-faulty-'));
after(() => rmSync(folder, { recursive: true }));

/** The command line of the server with this fault. */
function faulty(fault: string): string[] {
  return ['--', process.execPath, fixture('faulty.mjs'), fault];
}

test('an answer whose id is text, not a number, fails the call at once and blames the server', async () => {
  const run = await tenon(['call', 'scale', 'servings=4', ...faulty('text-id')]);
  const { code, blame, message, fix } = failureIn(run);
  assert.deepEqual([run.code, code, blame], [6, 'protocol_violation', 'server'], run.stderr);
  assert.match(
    String(message),
    /^The server answered tools\/call with the id "(\d+)", but the request has \1: it must send back the number$/,
  );
  assert.equal(fix, 'Keep the id as it came: do not turn numbers into text.');
});

test('of two tools with one name the first counts: for arguments, for results, and in the check of a trace', async () => {
  const trace = join(folder, 'same-name.mcptrace');
  const run = await tenon(['call', 'scale', 'servings=4', '-o', trace, ...faulty('same-name')]);
  assert.deepEqual([run.code, failureIn(run)['blame']], [6, 'server'], run.stderr);
  assert.match(String(failureIn(run)['message']), /does not fit its output schema: servings/);
  const checked = await tenon(['check', trace]);
  assert.equal(checked.code, 9);
  assert.match(checked.stdout, /violates its own outputSchema: servings/);
  assert.doesNotMatch(checked.stdout, /violate its inputSchema/);
});
