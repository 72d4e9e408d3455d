// Why a call failed is hidden from the peer, not from whoever has the server on their machine: its stderr is passed on.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { failureIn, fixture, peer, TENON, tenon } from './run-tenon.ts';

const failing = ['--', process.execPath, TENON, 'run', fixture('failing.ts')];

const stderrOf = (run: Awaited<ReturnType<typeof tenon>>): string => String(failureIn(run)['stderr'] ?? '');

test('a call, a reading and a prompt that fail come with what the server wrote to stderr: the error, its cause, its stack', async () => {
  for (const [args, code] of [
    [['call', 'boom'], 5],
    [['read', 'db://rows'], 8],
    [['prompt', 'ask'], 8],
    [['raw', 'resources/read', '{"uri":"db://rows"}'], 8],
  ] as const) {
    const run = await tenon([...args, ...failing]);
    assert.equal(run.code, code, run.stderr);
    const stderr = stderrOf(run);
    const [, id] = /under error ([0-9a-f]{8})/.exec(String(failureIn(run)['message'])) ?? [];
    assert.ok(stderr.includes(`(error ${id})`), `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, /Error: db refused\n +at [^]*\[cause\]: Error: ECONNREFUSED 10\.0\.0\.1:5432/);
    assert.doesNotMatch(stderr, /The server starts/, 'only what came in the call');
  }
});

test('what goes over the wire, and what is on stdout, names the error by its id only', async () => {
  const run = await tenon(['call', 'boom', ...failing]);
  assert.doesNotMatch(run.stdout, /db refused|ECONNREFUSED/);
});

test('of much stderr the last lines are passed on, and nothing in it reaches a terminal as a command', async () => {
  const run = await tenon(['call', 'noisy', ...failing]);
  const stderr = stderrOf(run);
  assert.ok(stderr.split('\n').length <= 40, `${stderr.split('\n').length} lines`);
  assert.match(stderr, /the last words/);
  assert.doesNotMatch(run.stderr, /[\u0007\u001b]/);
});

test('a call that succeeds keeps the stderr of the server to itself', async () => {
  const run = await tenon(['call', 'fine', ...failing]);
  assert.deepEqual([run.code, run.stderr], [0, '']);
});

test('a server without Tenon is quoted, too', async () => {
  const run = await tenon(['call', 'fail', ...peer('explains')]);
  assert.equal(run.code, 5, run.stderr);
  assert.match(stderrOf(run), /the key has expired/);
});

test('a handler that throws in a server over HTTP tells its log all of it', async () => {
  const child = spawn(process.execPath, [TENON, 'run', fixture('failing.ts'), '--http', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = new Promise<string>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, found] = / at (http\S+)\n/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const run = await tenon(['call', 'boom', await url]);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await ended;
  const [, id] = /under error ([0-9a-f]{8})/.exec(String(failureIn(run)['message'])) ?? [];
  assert.match(said, new RegExp(`error ${id}[^]*Error: db refused\\s+at [^]*ECONNREFUSED 10\\.0\\.0\\.1:5432`));
});
