// The server is always stopped, and quickly.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../scripts/lib/until.ts';
import { failureIn, fixture, type Outcome, peer, TENON, tenon } from './run-tenon.ts';

function pidIn({ stderr }: Pick<Outcome, 'stderr'>): number {
  const pid = Number(/pid (\d+)/.exec(stderr)?.[1]);
  assert.ok(pid > 0);
  return pid;
}

/** A process that has exited stays in the process table until its parent, which may be slow, has waited for it. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

function gone(pid: number): Promise<void> {
  return until(() => !isAlive(pid), `the end of process ${pid}`);
}

test('the answer is printed first, then a server that does not exit is stopped', async () => {
  const run = await tenon(['call', 'measure', '--trace', ...peer('stubborn', '0', 'pid')]);
  assert.equal(run.code, 0);
  assert.match(run.stderr, /exit {3}ended by SIGKILL/);
  await gone(pidIn(run));
});

test('a server that ends with its input is not killed', async () => {
  const run = await tenon(['list', '--trace', ...peer('ok')]);
  assert.match(run.stderr, /exit {3}exited with code 0/);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends the call and the server`, async () => {
    let sent = false;
    const run = await tenon(['call', 'args', '--trace', ...peer('slow', '0', 'pid')], {
      onStderr(stderr, kill) {
        if (sent || !stderr.includes('tools/call')) return;
        sent = true;
        kill(signal);
      },
    });
    if (signal === 'SIGINT') {
      assert.deepEqual([run.code, failureIn(run)['code']], [130, 'interrupted']);
      assert.match(run.stderr, /→ .*notifications\/cancelled/);
    }
    await gone(pidIn(run));
  });
}

test('a server whose tenon was killed outright sees its input end', async () => {
  let sent = false;
  const run = await tenon(['call', 'args', '--trace', ...peer('slow', '0', 'pid')], {
    onStderr(stderr, kill) {
      if (sent || !stderr.includes('tools/call')) return;
      sent = true;
      kill('SIGKILL');
    },
  });
  await gone(pidIn(run));
});

test('thousands of messages in one call are shown without delaying it', async () => {
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(fixture('cpu-at-exit.mjs')).href}` };
  const run = await tenon(['call', 'measure', '--log-level', 'info', '--trace', ...peer('flood', '5000')], { env });
  assert.equal(run.code, 0);
  assert.equal(run.stderr.match(/^\[info\] message \d+$/gm)?.length, 5_000);
  assert.equal(run.stderr.match(/ms {2}← .*notifications\/message/g)?.length, 5_000);
  const cpuMs = Number(/^CPU time: (\d+) ms$/m.exec(run.stderr)![1]);
  assert.ok(cpuMs < 10_000, `${cpuMs} ms of CPU time`);
});

test('without --log-level no level is sent to a server of an earlier revision, and its log messages during a call are shown', async () => {
  const run = await tenon(['call', 'measure', '--trace', ...peer('flood', '3')]);
  assert.doesNotMatch(run.stderr, /logging\/setLevel/);
  const call = await tenon(['call', 'measure', ...peer('flood', '3')]);
  assert.equal(call.stderr, '[info] message 0\n[info] message 1\n[info] message 2\n');
  const asked = await tenon(['call', 'measure', '--trace', '--log-level', 'error', ...peer('ok')]);
  assert.match(asked.stderr, /→ .*logging\/setLevel.*"level":"error"/);
});

test('--trace shows all traffic, including output that is not protocol', async () => {
  const { stderr } = await tenon(['call', 'measure', '--trace', ...peer('banner', '0', 'pid')]);
  const lines = stderr.trimEnd().split('\n');
  for (const line of lines)
    assert.match(line, /^ *\d+\.\d ms {2}(start {2}|→ \{|← \{|not protocol, on stdout: |stderr \| |exit {3})/);
  const kinds = [
    'start  ',
    '→ .*server/discover',
    'stdout: Server listening',
    'stdout: Ready \\\\u001b',
    'stderr \\| pid',
    '← .*-32601',
    '→ .*initialize',
    '→ .*tools/call',
    '← .*celsius',
    // On a slow machine the server may not exit before it is terminated.
    'exit   (?:exited with code 0|ended by SIG)',
  ];
  for (const kind of kinds) assert.match(stderr, new RegExp(kind));
  const times = lines.map((line) => Number.parseFloat(line));
  assert.ok(times.every((time) => time >= 0));
});

test('a reader that closes the pipe is not a failure', async () => {
  const child = spawn(process.execPath, [TENON, 'list', '--text', ...peer('ok')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.deepEqual([code, stderr], [0, '']);
});
