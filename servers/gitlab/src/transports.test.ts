// The server as its users start it: over stdio and HTTP, in a revision of each era.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { after, beforeEach, test } from 'node:test';
import { assertNoFindings } from '../../shared/test/findings.ts';
import { commandOf, type ServerStart, textOf, waysTo } from '../../shared/test/ways.ts';
import { createStandIn } from './fixtures/stand-in.ts';

const TOKEN = 'glpat-theSecretOfAnn123';
const gitlab = createStandIn();
await gitlab.start();
after(() => gitlab.stop());
beforeEach(() => gitlab.reset());

const started: ServerStart = {
  name: 'gitlab',
  get env() {
    return { GITLAB_PERSONAL_ACCESS_TOKEN: ` ${TOKEN} `, GITLAB_API_URL: `${gitlab.url}/api/v4/` };
  },
};
const { ways, stop } = waysTo(started);
after(stop);

for (const revision of ['2025-11-25', '2026-07-28'])
  for (const transport of ['stdio', 'HTTP'])
    test(`${revision} over ${transport}: the tools are listed, called, and fail with a message for the model`, async () => {
      const client = await ways.get(`${revision} over ${transport}`)!();
      try {
        assert.equal((await client.tools()).length, 9);
        gitlab.faults = [{ status: 429, headers: { 'retry-after': '0' } }];
        const at = { project_id: 'ann/tea' };
        const file = await client.call('get_file_contents', { ...at, file_path: 'README.md' });
        assert.match(textOf(file), /# Tee ☕ — grün/);
        assert.equal(gitlab.received[0]!.headers.authorization, `Bearer ${TOKEN}`);
        const large = await client.call('get_file_contents', { ...at, file_path: 'middle.txt' });
        assert.match(textOf(large), /gitlab:\/\/ann%2Ftea\/HEAD\/middle\.txt/);
        const missing = await client.call('get_file_contents', { ...at, file_path: 'none' });
        assert.deepEqual([missing.isError, /404 to GET/.test(textOf(missing))], [true, true]);
        assert.deepEqual(gitlab.problems, []);
      } finally {
        await client.close();
      }
    });

test('`tenon check` has no finding', async () => void (await assertNoFindings({ name: 'gitlab' })));

test('an address, a wait or a token that cannot be used is an error at the start, which does not repeat it', async () => {
  for (const [args, env] of [
    [['--api-url', 'https://ann:secret@gitlab.example.com'], {}],
    [['--max-wait', 'long'], {}],
    [[], { GITLAB_PERSONAL_ACCESS_TOKEN: 'glpat-secret\nglpat-other' }],
  ] as const) {
    const [command, ...rest] = commandOf({ name: 'gitlab', args });
    const { code, written } = await new Promise<{ code: unknown; written: string }>((resolve) => {
      execFile(command, rest, { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
        resolve({ code: error?.code, written: `${stdout}${stderr}` }),
      ).stdin!.end();
    });
    assert.equal(code, 2, written);
    assert.match(written, /address of the API must be|--max-wait takes|is not a token/);
    assert.doesNotMatch(written, /secret/);
  }
});
