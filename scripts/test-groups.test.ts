// Runs the test runner on test files in a temporary folder. Whatever happens to one of the files that share a process, the run fails and
// names the file.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { root } from './lib/files.ts';

const RUNNER = [
  'scripts/test.ts',
  'scripts/test-context.mjs',
  'scripts/test-group.mjs',
  'scripts/source-condition.mjs',
  'scripts/start-with-cache.mjs',
  'scripts/lib/apt.ts',
  'scripts/lib/caching-node.mjs',
  'scripts/lib/chromium.ts',
  'scripts/lib/files.ts',
  'scripts/lib/shells.ts',
  'scripts/lib/test-file.ts',
  'scripts/lib/test-groups.ts',
];

/** The files of this folder form a group, and are loaded and run in the order of their names. */
const FOLDER = 'packages/sdk/src';

const passes = `import { test } from 'node:test';\ntest('passes', () => {});\n`;

/** Runs the tests of a checkout with these files. */
async function run(t: TestContext, files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon groups '));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of RUNNER) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, FOLDER), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, FOLDER, name), text);
  // A test runner inside of a test runs no tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(folder, 'scripts/test.ts'), ...args], { env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

test('files that share a process pass, and each is reported by its name', async (t) => {
  const { code, text } = await run(t, { 'a.test.ts': passes, 'b.test.ts': passes });
  assert.equal(code, 0, text);
  for (const name of ['a', 'b']) assert.match(text, new RegExp(`✔ packages/sdk/src/${name}\\.test\\.ts`));
  assert.match(text, /2 passed, 0 failed/);
});

test('a value for one test file is released after that file, and one for all files at the end', async (t) => {
  const helper = `
    import { afterAllFiles, perTestFile } from '../../../scripts/lib/test-file.ts';
    let count = 0;
    export const ended: number[] = [];
    export const own = perTestFile(() => ++count, (made) => ended.push(made));
    afterAllFiles(() => console.log('ended: ' + ended));
  `;
  const file = (number: number, endedBefore: string): string => `
    import assert from 'node:assert/strict';
    import { test } from 'node:test';
    import { ended, own } from './helper.ts';
    own();
    for (const name of ['one', 'two'])
      test(name, () => assert.deepEqual([own(), ended.join()], [${number}, '${endedBefore}']));
  `;
  const { code, text } = await run(t, { 'helper.ts': helper, 'a.test.ts': file(1, ''), 'b.test.ts': file(2, '1') });
  assert.equal(code, 0, text);
  assert.match(text, /^ended: 1,2$/m);
});

/** The content of the second file, and the expected message of the run. */
const FAULTS: readonly (readonly [what: string, source: string, said: RegExp, ...args: string[]])[] = [
  ['cannot be loaded', `import './missing.ts';\n`, /✖ packages\/sdk\/src\/b\.test\.ts/],
  [
    'has a test that fails',
    `import { test } from 'node:test';\ntest('fails', () => {\n  throw new Error('on purpose');\n});\n`,
    /✖ packages\/sdk\/src\/b\.test\.ts/,
  ],
  [
    'throws an error that nothing catches, after its test',
    `import { test } from 'node:test';\ntest('throws later', () => {\n  setImmediate(() => {\n    throw new Error('on purpose');\n  });\n});\ntest('goes on', () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))));\n`,
    /Test "throws later" at packages\/sdk\/src\/b\.test\.ts/,
  ],
  ['has no test', `export {};\n`, /No test ran in packages\/sdk\/src\/b\.test\.ts/],
  ['ends the process while it is loaded', `process.exit(0);\n`, /it was at packages\/sdk\/src\/b\.test\.ts/],
  [
    'is killed in a test',
    `import { test } from 'node:test';\ntest('is killed', () => process.kill(process.pid, 'SIGKILL'));\n`,
    /it was at packages\/sdk\/src\/b\.test\.ts/,
  ],
  [
    'blocks the process',
    `import { test } from 'node:test';\ntest('blocks', () => {\n  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n});\n`,
    /no events came from packages\/sdk\/src\/b\.test\.ts/,
    '--limit=5000',
  ],
];

for (const [what, source, said, ...args] of FAULTS)
  test(`a run fails and names the file that ${what}`, async (t) => {
    const { code, text } = await run(t, { 'a.test.ts': passes, 'b.test.ts': source, 'c.test.ts': passes }, ...args);
    assert.equal(code, 1, text);
    assert.match(text, said);
  });
