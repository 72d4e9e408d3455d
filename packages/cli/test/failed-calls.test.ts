// The reason of a failed call is hidden from peers, but not from the user who runs the server: its stderr is shown.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { failureIn, fixture, peer, TENON, tenon } from './run-tenon.ts';

const failing = ['--', process.execPath, TENON, 'run', fixture('failing.ts')];

function stderrOf(run: Awaited<ReturnType<typeof tenon>>): string {
  return String(failureIn(run)['stderr'] ?? '');
}

test("a failing call, read or prompt shows the server's stderr: the error, its cause, its stack", async () => {
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

test('messages and stdout contain only the id of an error', async () => {
  const run = await tenon(['call', 'boom', ...failing]);
  assert.doesNotMatch(run.stdout, /db refused|ECONNREFUSED/);
});

test('the last lines of a long stderr are shown, without control characters', async () => {
  const run = await tenon(['call', 'noisy', ...failing]);
  const stderr = stderrOf(run);
  assert.ok(stderr.split('\n').length <= 40, `${stderr.split('\n').length} lines`);
  assert.match(stderr, /the last words/);
  assert.doesNotMatch(run.stderr, /[\u0007\u001b]/);
});

test('the stderr of the server during a successful call is printed besides its result, unless --quiet is given', async () => {
  const run = await tenon(['call', 'fine', ...failing]);
  assert.deepEqual([run.code, run.stderr], [0, '| nobody needs to read this\n']);
  const quiet = await tenon(['call', 'fine', '--quiet', ...failing]);
  assert.deepEqual([quiet.code, quiet.stderr], [0, '']);
});

test('for a flood on stderr, the first lines and the number of omitted ones are shown', async () => {
  const run = await tenon(['call', 'noisy', ...failing]);
  assert.equal(run.stderr.match(/^\| line \d+$/gm)?.length, 200);
  assert.match(run.stderr, /9801 more lines of stderr and log messages are left out; --trace shows all/);
});

test('the stderr of a server made without Tenon is shown, too', async () => {
  const run = await tenon(['call', 'fail', ...peer('explains')]);
  assert.equal(run.code, 5, run.stderr);
  assert.match(stderrOf(run), /the key has expired/);
});

test('an exception of a handler in a server over HTTP is logged completely', async () => {
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
