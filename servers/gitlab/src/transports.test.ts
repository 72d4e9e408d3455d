import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { refusedStart, testAsStarted } from '../../shared/test/api/as-started.ts';
import { textOf } from '../../shared/test/ways.ts';
import { createStandIn } from './fixtures/stand-in.ts';

const TOKEN = 'glpat-theSecretOfAnn123';
const AT = { project_id: 'ann/tea' };
const gitlab = createStandIn();
await gitlab.start();
after(() => gitlab.stop());
beforeEach(() => gitlab.reset());

const env = { GITLAB_PERSONAL_ACCESS_TOKEN: ` ${TOKEN} `, GITLAB_API_URL: `${gitlab.url}/api/v4/` };

testAsStarted({ name: 'gitlab', env }, async (client) => {
  assert.equal((await client.tools()).length, 9);
  gitlab.faults = [{ status: 429, headers: { 'retry-after': '0' } }];
  const file = await client.call('get_file_contents', { ...AT, file_path: 'README.md' });
  assert.match(textOf(file), /# Tee ☕ — grün/);
  assert.equal(gitlab.received[0]!.headers.authorization, `Bearer ${TOKEN}`);
  const large = await client.call('get_file_contents', { ...AT, file_path: 'middle.txt' });
  assert.match(textOf(large), /gitlab:\/\/ann%2Ftea\/HEAD\/middle\.txt/);
  const missing = await client.call('get_file_contents', { ...AT, file_path: 'none' });
  assert.deepEqual([missing.isError, /404 to GET/.test(textOf(missing))], [true, true]);
  assert.deepEqual(gitlab.problems, []);
});

test('an address, a wait or a token that cannot be used is an error at the start, which does not repeat it', async () => {
  for (const [args, variables, expected] of [
    [['--api-url', 'https://ann:secret@gitlab.example.com'], {}, /address of the API must be like/],
    [['--max-wait', 'long'], {}, /--max-wait takes a number/],
    [[], { GITLAB_PERSONAL_ACCESS_TOKEN: 'glpat-secret\nglpat-other' }, /is not a token/],
  ] as const) {
    const written = await refusedStart('gitlab', args, variables);
    assert.match(written, expected);
    assert.doesNotMatch(written, /secret/);
  }
});
