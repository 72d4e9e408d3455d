// Copies of a request, tested in shells, and saved tests, run with the command line.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { command } from '../fixtures/launch.ts';
import { inspected } from './harness.ts';
import { at, everything } from './servers.ts';

const run = promisify(execFile);
const cli = join(import.meta.dirname, '../../../cli/bin/tenon.js');

function answer(page: Page) {
  return page.getByRole('region', { name: 'Result' });
}

/** Calls a tool with the proposed arguments. */
async function call(page: Page, go: (to: string) => Promise<unknown>, server: string, tool: string): Promise<void> {
  await go(`explore/${server}/tools/${tool}`);
  await page.getByRole('button', { name: /^Send/ }).click();
  await answer(page).getByRole('button', { name: 'Copy as tenon' }).waitFor();
}

async function copied(page: Page, button: string): Promise<string> {
  await answer(page).getByRole('button', { name: button }).click();
  await answer(page)
    .getByText(/^Copied/)
    .waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

async function shell(text: string): Promise<string> {
  return (await run('sh', ['-c', text.replace(/^tenon/, `"${process.execPath}" "${cli}"`)])).stdout;
}

inspected(
  'a copied command works in a shell, and curl opens a session',
  async (t) => {
    const { args } = command('official-v1');
    return {
      servers: {
        legacy: await at(t, 'official-v1'),
        pair: await at(t, 'sse'),
        odd: {
          command: process.execPath,
          args: ['--title=a b; echo $HOME', ...args],
          env: { MODE: "it's" },
          cwd: join(import.meta.dirname, '..'),
        },
      },
    };
  },
  async ({ page, go }) => {
    await call(page, go, 'legacy', 'add');
    assert.match(await shell(await copied(page, 'Copy as tenon')), /"sum":\s*3/);
    assert.match(await shell(await copied(page, 'Copy as curl')), /"sum":3/);
    await call(page, go, 'odd', 'add');
    assert.match(await shell(await copied(page, 'Copy as tenon')), /"sum":\s*3/);
    assert.equal(await answer(page).getByRole('button', { name: 'Copy as curl' }).count(), 0);
    await call(page, go, 'pair', 'add');
    await answer(page)
      .getByText(/^Not for curl: over HTTP\+SSE/)
      .waitFor();
    assert.equal(await answer(page).getByRole('button', { name: 'Copy as curl' }).count(), 0);
  },
);

inspected(
  'saved calls can be run, and those of another server are not added to their file',
  { servers: { everything, other: command('official-v1') }, expected: [/status of 400/] },
  async ({ page, go }) => {
    const keep = async (server: string, tool: string): Promise<void> => {
      await call(page, go, server, tool);
      await answer(page).getByRole('button', { name: 'Save as test' }).click();
    };
    await keep('everything', 'echo');
    await keep('everything', 'get-sum');
    const said = answer(page).getByText(/^Saved as the test get-sum in /);
    const [, file] = / in (.*)\.$/.exec((await said.textContent())!)!;
    await keep('other', 'add');
    await answer(page)
      .getByText(/holds tests of another server/)
      .waitFor();
    const { tests } = JSON.parse(readFileSync(file!, 'utf8')) as { tests: readonly { name: string }[] };
    assert.deepEqual(
      tests.map(({ name }) => name),
      ['echo', 'get-sum'],
    );
    assert.match(await shell(`tenon test --text --file '${file}'`), /2 passed, 0 failed/);
  },
);
