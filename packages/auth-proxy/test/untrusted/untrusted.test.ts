// Invalid input from programs, browsers and the identity provider causes no uncaught errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { outcomeOf } from '../../../sdk/test/untrusted/outcome.ts';

/** `npm test` runs one case in this many. It divides neither number of invalid values, so that each value is tried in many places. */
const STEP = rounds(5, 1);

test('no invalid value in a login ends the process, hangs, or affects later requests', async () => {
  const { cases, ran, failures } = await outcomeOf(new URL('run.ts', import.meta.url), String(STEP));
  assert.equal(failures.join('\n\n'), '');
  assert.ok(cases >= 600, `there are only ${cases} values`);
  assert.equal(ran, Math.ceil(cases / STEP));
});
