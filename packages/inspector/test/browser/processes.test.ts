import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { command } from '../fixtures/launch.ts';
import { openInspector } from '../../src/inspect.ts';
import { becomes, inspected, settle } from './harness.ts';

// Sessions live in the program, not in the page: pages come and go, and the processes of servers are started once and never left
// behind.

/** The running processes with this word among their arguments. */
function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function marked() {
  const word = `marked-${randomUUID()}`;
  return { word, launch: command('official-v2', word) };
}

const linux = process.platform === 'linux';
const reloaded = marked();

if (linux)
  inspected(
    'reloads find the same process, and the same state',
    { servers: { it: reloaded.launch } },
    async ({ page, trace }) => {
      await until(() => processesWith(reloaded.word).length === 1);
      const [pid] = processesWith(reloaded.word);
      const lines = async (): Promise<number> => (await trace()).filter(({ session }) => session === 'it#1').length;
      const before = await lines();
      for (let count = 0; count < rounds(10, 50); count++) {
        await page.reload({ waitUntil: 'domcontentloaded' });
        assert.deepEqual(processesWith(reloaded.word), [pid]);
      }
      await page.getByText('connected in').waitFor();
      assert.equal(await lines(), before);
      assert.deepEqual(processesWith(reloaded.word), [pid]);
    },
  );

const wanted = marked();

if (linux)
  inspected(
    'a server that several pages reconnect at once is one process in the end',
    { servers: { it: wanted.launch } },
    async ({ page, trace }) => {
      await page.evaluate(async () => {
        const connect = () =>
          fetch('/api/servers/it/connect', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{}',
          });
        await Promise.all([connect(), connect(), connect()]);
      });
      await page.getByText('connected in').waitFor();
      await settle(page);
      await becomes(async () => {
        const kinds = (await trace()).map(({ kind }) => kind);
        const [started, ended] = ['open', 'exit'].map((wanted) => kinds.filter((kind) => kind === wanted).length);
        return [started! - ended!, processesWith(wanted.word).length];
      }, [1, 1]);
    },
  );

const abandoned = marked();
const neglected = marked();

if (linux)
  inspected(
    'a server is stopped some time after the last page was closed, unless a page is opened in time',
    { servers: { it: abandoned.launch }, idleMs: 400 },
    async ({ page, context, another }, t) => {
      const other = await openInspector({
        port: 0,
        targets: [{ id: 'it', name: 'it', launch: neglected.launch }],
        by: 'browser test',
        idleMs: 400,
      });
      t.after(() => other.close());
      const visiting = await context.browser()!.newContext();
      t.after(() => visiting.close());
      const lonely = await visiting.newPage();
      await lonely.goto(other.newUrl());
      await lonely.getByText('connected in').waitFor();
      // The process that tried the other era is ending.
      await until(() => processesWith(abandoned.word).length === 1);
      const pids = processesWith(abandoned.word);
      const second = await another();
      await page.close();
      // If the last page is closed later, the server is stopped.
      await lonely.close();
      await until(() => processesWith(neglected.word).length === 0);
      assert.deepEqual(processesWith(abandoned.word), pids, 'one page is left');
      await second.close();
      await until(() => processesWith(abandoned.word).length === 0);
      const third = await context.newPage();
      await third.goto(second.url());
      await third.getByText('closed', { exact: true }).first().waitFor();
      await third.getByRole('button', { name: 'Connect', exact: true }).click();
      await third.getByText('connected in').waitFor();
    },
  );

/** The browser's errors if the inspector is gone, or does not accept the page. */
const GONE = [/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_CONNECTION_RESET/, /\b401\b/];

inspected(
  'after a restart of the inspector with another server, its tools are shown',
  { servers: { it: command('flood') }, expected: GONE },
  async ({ page, go, inspector }, t) => {
    const tree = page.getByRole('tree');
    await go('explore/it');
    await tree.getByText('sustained').waitFor();
    await inspector.close();
    await page.getByText('The inspector does not answer. Trying again').waitFor();
    const next = await openInspector({
      port: inspector.port,
      targets: [{ id: 'it', name: 'it', launch: command('wrong-output') }],
      by: 'browser test',
    });
    t.after(() => next.close());
    await page.getByRole('heading', { name: 'Open the link from the terminal' }).waitFor();
    // Opened in the same tab, so only the fragment changes.
    await page.goto(next.newUrl());
    await page.getByText('connected in').waitFor();
    await go('explore/it/tools/flood');
    await page.getByText('it offers no tool flood').waitFor();
    assert.equal(await tree.getByText('sustained').count(), 0);
    await tree.getByRole('treeitem', { name: /^forecast/ }).waitFor();
  },
);

inspected(
  'a fifth page says that the inspector is open in too many pages, and works once another one is closed',
  { servers: { it: command('official-v2') }, expected: [/\b429\b/] },
  async ({ page, context }) => {
    const open = async (): Promise<Page> => {
      const next = await context.newPage();
      await next.goto(page.url());
      return next;
    };
    const others = [await open(), await open(), await open()];
    for (const other of others) await other.getByText('connected in').waitFor();
    const fifth = await open();
    await fifth.getByRole('heading', { name: 'The inspector is open in too many pages' }).waitFor();
    await others[0]!.close();
    await fifth.getByText('connected in').waitFor();
  },
);

inspected(
  'a URL of a missing server or tool says so',
  { servers: { it: command('official-v2') } },
  async ({ page, go }) => {
    const main = page.getByRole('main');
    await go('explore/nobody/tools/x');
    await main.getByText('There is no server nobody here.').waitFor();
    await go('explore/it/tools/nothing');
    await main.getByText('it offers no tool nothing.').waitFor();
    await go('explore/it');
    await main.getByText('Choose a tool').waitFor();
  },
);

/** A server that only ends when it is killed, with a child process that behaves the same. */
const STUBBORN = `
  process.on('SIGTERM', () => {});
  process.stdin.resume().on('end', () => {});
  const { spawn } = require('node:child_process');
  const word = process.argv[1];
  spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)", word], { stdio: 'ignore' });
  setInterval(() => {}, 1e6);
`;

/** `tenon inspect`, started as in a terminal: in a process group of its own. */
async function startCommand(word: string) {
  const tenon = join(import.meta.dirname, '../../../cli/bin/tenon.js');
  const child = spawn(process.execPath, [tenon, 'inspect', '--no-open', '--', process.execPath, '-e', STUBBORN, word], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(() => output.includes('http://127.0.0.1:') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  return { child, ended };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  test(`${signal} to the command leaves no process behind`, { skip: !linux && 'It looks at /proc' }, async () => {
    const word = `marked-${randomUUID()}`;
    const { child, ended } = await startCommand(word);
    try {
      // The command with the server in its arguments, the server, and the server's child.
      await until(() => processesWith(word).length === 3);
      child.kill(signal);
      await ended;
      assert.deepEqual(processesWith(word), []);
    } finally {
      child.kill('SIGKILL');
    }
  });

inspected(
  'an inspector that is closed while connecting leaves nothing behind',
  { servers: { silent: command('silent'), slow: command('slow', '600000') }, settled: false },
  async ({ page, inspector, trace }) => {
    await page.getByText('connecting …').first().waitFor();
    await page.close();
    await inspector.close();
    // The inspector waited for their exit, and recorded it, but did not wait for their answers.
    assert.deepEqual(
      (await trace()).filter(({ kind, from }) => kind === 'message' && from === 'server'),
      [],
    );
    const ended = (await trace()).flatMap(({ kind, session }) => (kind === 'exit' ? [session] : []));
    assert.deepEqual(ended.toSorted(), ['silent#1', 'slow#1']);
  },
);
