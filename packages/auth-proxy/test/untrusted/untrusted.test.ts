// Whatever programs, browsers and the identity provider send, nothing goes uncaught.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { outcomeOf } from '../../../sdk/test/untrusted/outcome.ts';

/** One case of so many is run in `npm test`. It divides neither number of wrong values, so that each is tried in many places. */
const STEP = rounds(5, 1);

test('no wrong value in a login ends the process, hangs, or spoils what comes after it', async () => {
  const { cases, ran, failures } = await outcomeOf(new URL('run.ts', import.meta.url), String(STEP));
  assert.equal(failures.join('\n\n'), '');
  assert.ok(cases >= 600, `there are only ${cases} values`);
  assert.equal(ran, Math.ceil(cases / STEP));
});
