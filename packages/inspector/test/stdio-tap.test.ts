import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type StdioTapOptions, tapStdio, type TraceLine } from '../src/trace.ts';
import { withinCpuMsAsync } from '../../../scripts/lib/cpu-time.ts';
import { until } from '../../../scripts/lib/until.ts';

/** A tap on a program given as source text, with streams of this process. */
function tapping(program: string, more: Partial<StdioTapOptions> = {}) {
  const lines: TraceLine[] = [];
  return {
    lines,
    tap: tapStdio({
      command: process.execPath,
      args: ['-e', program],
      env: process.env,
      name: 'x',
      sink: {
        now: () => 0,
        append(line) {
          const appended = { n: lines.length + 1, at: 0, ...line };
          lines.push(appended);
          return appended;
        },
      },
      stdin: new PassThrough(),
      stdout: new PassThrough().resume(),
      stderr: new PassThrough().resume(),
      ...more,
    }),
  };
}

test('the end is reported when the last byte was read', async () => {
  const taken: string[] = [];
  const stdout = new Writable({
    write(chunk, _, done) {
      void setTimeout(400).then(() => {
        taken.push(String(chunk));
        done();
      });
    },
  });
  const { tap } = tapping('process.stdout.write("first"); setTimeout(() => process.stdout.write("last"), 50)', {
    stdout,
  });
  await (
    await tap
  ).ended;
  assert.equal(taken.join(''), 'firstlast');
});

/** A program that starts another one, which has its stdout, and exits when it gets input. */
function outlivedBy(child: string): string {
  return `
    const options = { stdio: ['ignore', 'inherit', 'ignore'] };
    require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], options);
    process.stdin.once('data', () => process.exit());`;
}

test('a silent process that outlives the server is ended', async () => {
  const stdin = new PassThrough();
  const { tap } = tapping(outlivedBy('setInterval(() => {}, 1_000_000)'), { stdin });
  const { ended } = await tap;
  stdin.write('end\n');
  assert.deepEqual(await ended, { code: 0, signal: null });
});

test('a process that outlives the server is ended only when what it wrote has been read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-tap-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const told = join(folder, 'told to end');
  const program = outlivedBy(`
    process.on('SIGTERM', () => {
      require('node:fs').writeFileSync(${JSON.stringify(told)}, '');
      process.exit();
    });
    process.stdout.write('x'.repeat(50_000));
    setInterval(() => {}, 1_000_000);`);
  let read: (() => void) | undefined;
  let received = 0;
  const stdout = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      received += chunk.length;
      if (read === undefined) read = done;
      else done();
    },
  });
  const stdin = new PassThrough();
  const { tap } = tapping(program, { stdin, stdout });
  const { ended } = await tap;
  await until(() => read !== undefined);
  stdin.write('end\n');
  // Many times as long as a silent process is waited for.
  await setTimeout(800);
  assert.equal(existsSync(told), false);
  read!();
  await ended;
  assert.equal(received, 50_000);
  await until(() => existsSync(told));
});

test('a failed recording is reported once, and all traffic still passes', async () => {
  const failures: unknown[] = [];
  let left = 4;
  const stdout = new PassThrough();
  const passed: string[] = [];
  stdout.on('data', (chunk) => passed.push(String(chunk)));
  const stdin = new PassThrough();
  const { tap } = tapping('process.stdin.pipe(process.stdout); console.error("on stderr")', {
    stdin,
    stdout,
    sink: {
      now: () => 0,
      append(line) {
        if (left-- <= 0) throw new Error('no more');
        return { n: 1, at: 0, ...line };
      },
    },
    onFailure: (error) => failures.push((error as Error).message),
  });
  const { ended } = await tap;
  for (let at = 0; at < 20; at++) {
    stdin.write(`line ${at}\n`);
    // Each passes separately.
    await until(() => passed.join('').includes(`line ${at}\n`));
  }
  stdin.end();
  assert.deepEqual(await ended, { code: 0, signal: null });
  assert.deepEqual(failures, ['no more']);
  assert.equal(passed.join(''), Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join(''));
});

test('10,000 messages pass quickly, and all are recorded', async () => {
  const stdin = new PassThrough();
  let bytes = 0;
  const stdout = new PassThrough();
  stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  const { tap, lines } = tapping('process.stdin.pipe(process.stdout)', { stdin, stdout });
  const { ended } = await tap;
  let sent = 0;
  await withinCpuMsAsync(5_000, async () => {
    for (let id = 0; id < 10_000; id++) {
      const text = `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } })}\n`;
      sent += text.length;
      stdin.write(text);
    }
    stdin.end();
    await ended;
  });
  assert.equal(bytes, sent);
  assert.equal(lines.filter(({ kind }) => kind === 'message').length, 20_000);
});

test('a missing program is reported, in the trace as well', async () => {
  const { tap, lines } = tapping('', { command: 'no-such-program' });
  await assert.rejects(tap, {
    name: 'TapError',
    code: 'no-such-program',
    systemCode: 'ENOENT',
    message: /'no-such-program' could not be started: there is no such program/,
  });
  assert.match(lines.at(-1)!.text, /could not be started/);
});
