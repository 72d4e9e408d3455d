// With the test context that does not track promises, the test runner behaves the same as without it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from './lib/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-context-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What a test awaits before it registers something, or fails. Each continues in a different way. */
const WAYS = {
  'a promise': `await null`,
  'a timer': `await new Promise((resolve) => setTimeout(resolve, 1))`,
  'a file': `await readFile(import.meta.filename)`,
  'a socket': `await new Promise((resolve) => { const server = createServer().listen(0, '127.0.0.1', () => server.close(resolve)); })`,
  'a thenable': `await { then: (resolve) => setImmediate(resolve) }`,
};

/** Callbacks that throw while their test runs. */
const THROWS = {
  'the next tick': `process.nextTick(throws)`,
  'a callback': `stat(import.meta.filename, throws)`,
  'the exit of a program': `spawn(process.execPath, ['--version']).on('exit', throws)`,
  'a thread': `new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true }).on('message', throws)`,
  'an event of a signal': `AbortSignal.timeout(1).addEventListener('abort', throws)`,
};

function throwing([what, act]: readonly [string, string]): string {
  return `
  test('throws in ${what}', async () => {
    await null;
    const thrown = new Promise((resolve) => process.once('uncaughtExceptionMonitor', resolve));
    const throws = () => { throw new Error('thrown in ${what}'); };
    ${act};
    await thrown;
  });`;
}

function testsOf([what, wait]: readonly [string, string]): string {
  return `
  test('registers after ${what}', async (t) => {
    ${wait};
    after(() => console.log('ends: after ${what}'));
    await test('a part of it', async () => {
      ${wait};
      after(() => console.log('ends: a part after ${what}'));
    });
    console.log('goes on after ${what}');
  });
  test('rejects after ${what}', async () => {
    ${wait};
    void Promise.reject(new Error('rejected after ${what}'));
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  test('throws after ${what}', async () => {
    ${wait};
    setTimeout(() => { throw new Error('thrown after ${what}'); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  test('throws after its end after ${what}', async () => {
    ${wait};
    setTimeout(() => { throw new Error('too late after ${what}'); }, 1);
  });
  test('gives that the time', () => new Promise((resolve) => setTimeout(resolve, 20)));
  describe('a suite after ${what}', async () => {
    ${wait};
    before(async () => { ${wait}; });
    it('is in it', async () => { ${wait}; after(() => console.log('ends: in a suite after ${what}')); });
    describe('inside', { concurrency: true }, () => {
      it('fails beside another', async () => { ${wait}; void Promise.reject(new Error('one of two')); await new Promise((resolve) => setTimeout(resolve, 5)); });
      it('passes beside another', async () => { ${wait}; await new Promise((resolve) => setTimeout(resolve, 5)); });
    });
  });`;
}

function reportOf(...options: readonly string[]): string {
  const file = join(folder, 'sample.test.mjs');
  writeFileSync(
    file,
    `import { spawn } from 'node:child_process';
     import { stat } from 'node:fs';
     import { readFile } from 'node:fs/promises';
     import { createServer } from 'node:net';
     import { after, before, describe, it, test } from 'node:test';
     import { Worker } from 'node:worker_threads';
     ${[...Object.entries(WAYS).map(testsOf), ...Object.entries(THROWS).map(throwing)].join('')}`,
  );
  // A test runner inside of a test runs no tests.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [...options, '--test-reporter=tap', file];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: 60_000 });
  // Durations differ, and the stack contains frames of the context.
  return stdout.replaceAll(/^.*duration_ms.*\n|^( *)stack: \|-\n(?:\1  .*\n)+/gm, '');
}

test('tests, hooks and uncaught errors belong to the same tests as when the runner tracks promises', () => {
  const plain = reportOf();
  for (const what of Object.keys(WAYS)) {
    assert.match(plain, new RegExp(`ends: a part after ${what}\n.*goes on after ${what}\n.*ends: after ${what}`, 's'));
    assert.match(plain, new RegExp(`rejected after ${what}`));
  }
  for (const what of Object.keys(THROWS))
    assert.match(plain, new RegExp(`not ok \\d+ - throws in ${what}\n(?: .*\n)+ *error: 'thrown in ${what}'`));
  assert.equal(reportOf(`--import=${pathToFileURL(join(root, 'scripts/test-context.mjs')).href}`), plain);
});
