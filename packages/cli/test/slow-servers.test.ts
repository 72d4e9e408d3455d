// A server that does not answer unknown requests costs time once, not at every start.

import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { peer, tenon } from './run-tenon.ts';

test('a server that does not answer unknown requests is not asked again by the next command', async () => {
  const env = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'tenon-state-')) };
  const asked: boolean[] = [];
  for (const verb of ['list', 'list', 'call']) {
    const args = verb === 'call' ? ['call', 'args'] : [verb];
    const run = await tenon([...args, '--trace', '--timeout', '8000', ...peer('ignores')], { env });
    assert.equal(run.code, 0, run.stderr);
    asked.push(run.stderr.includes('server/discover'));
  }
  assert.deepEqual(asked, [true, false, false]);
});
