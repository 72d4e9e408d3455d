// A process of its own: the tests stop timers and record every signal that their process sends.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, test, type TestContext } from 'node:test';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { until } from '../../../../../scripts/lib/until.ts';
import type { ChannelProblem } from '../../protocol/channel.ts';
import type { Limits } from '../../protocol/limits.ts';
import { collected, endOf, fixture, gone, isAlive, lineReader, settled, start, textOf } from './fixtures/processes.ts';
import { spawnChannel } from './spawn.ts';
import type { Command, SpawnedChannel } from './spawn.ts';
import { ProcessExitError, SpawnError } from './spawn-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-spawn-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a program. It is killed if the test fails. */
function open(command: Command, limits?: Partial<Limits>): SpawnedChannel {
  const channel = spawnChannel(command, limits === undefined ? {} : { limits });
  opened.push(channel);
  return channel;
}
const opened: SpawnedChannel[] = [];
after(() => Promise.all(opened.map((channel) => channel.close())));

function child(args: string[], command: Partial<Command> = {}, limits?: Partial<Limits>): SpawnedChannel {
  return open({ command: process.execPath, args: [fixture('child.mjs'), ...args], ...command }, limits);
}

/** Returns the received items one by one. */
function nexts(channel: SpawnedChannel): () => Promise<string | ChannelProblem> {
  const iterator = channel.incoming[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await iterator.next();
    if (done === true) throw new Error('incoming has ended');
    return value;
  };
}

async function all(channel: SpawnedChannel): Promise<(string | ChannelProblem)[]> {
  const items: (string | ChannelProblem)[] = [];
  for await (const item of channel.incoming) items.push(item);
  return items;
}

describe('a server as a child process', { concurrency: true }, () => {
  test('[STDIO-7] starts, and exchanges whole lines', async () => {
    const channel = child(['echo']);
    assert.ok(channel.pid !== undefined && isAlive(channel.pid));
    const next = nexts(channel);
    channel.send('{"text":"é€😀"}');
    channel.send('2');
    assert.equal(await next(), '{"text":"é€😀"}');
    assert.equal(await next(), '2');
    await channel.close();
    assert.equal(isAlive(channel.pid), false);
    assert.deepEqual(await channel.exited, { code: 0, signal: null, stderr: '' });
  });

  test('[STDIO-4] nothing but the messages, one per line, is written to its stdin', async () => {
    const channel = child(['bytes']);
    channel.send('{"a":1}');
    for (const text of ['{\n}', '\r']) assert.throws(() => channel.send(text), TypeError);
    await turn();
    channel.send('"é"');
    await channel.close();
    assert.equal(Buffer.from((await channel.exited).stderr, 'hex').toString(), '{"a":1}\n"é"\n');
  });

  test('[STDIO-1] split characters, CRLF, empty lines, banners and a missing last newline do no harm', async () => {
    const channel = child(['lines']);
    const items: unknown[] = [];
    await assert.rejects(async () => {
      for await (const item of channel.incoming) items.push(item);
    }, ProcessExitError);
    const lines = [
      '"hé € 😀"',
      '"crlf"',
      '"two"',
      '"in one"',
      'Server listening…',
      '"after junk"',
      '"no newline at the end"',
    ];
    assert.deepEqual(items, lines);
  });

  test("a last line without newline arrives, even if another process holds the server's stdout", async () => {
    const channel = child(['unfinished']);
    const items: unknown[] = [];
    await assert.rejects(async () => {
      for await (const item of channel.incoming) items.push(item);
    }, ProcessExitError);
    process.kill(Number(items[1]), 'SIGKILL');
    assert.equal(items[0], '"pid"');
  });

  test('the output of a server arrives, even if this process had no time to read it before the exit', async () => {
    const at = mkdtempSync(join(folder, 'late-'));
    // With `inherit`, `exited` resolves as soon as the exit is known.
    const channel = child(['late', at], { stderr: 'inherit' });
    const next = nexts(channel);
    const pid = Number(await next());
    const late = next();
    await channel.exited;
    writeFileSync(join(at, 'go'), '');
    // Blocks this process until all time limits of the channel are over.
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    for (let ms = 0; ms < 500 || !existsSync(join(at, 'written')); ms += 10) Atomics.wait(asleep, 0, 0, 10);
    try {
      assert.equal(await late, '"late"');
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  test('[STDIO-18] a server may exit on its own: its output arrives, then its exit code is reported', async () => {
    const channel = child(['bye']);
    const next = nexts(channel);
    channel.send('"answer"');
    assert.equal(await next(), '"answer"');
    await assert.rejects(next(), {
      name: 'ProcessExitError',
      code: 'process-exited',
      exitCode: 0,
      signal: null,
      message: /exited with code 0/,
    });
    const closing = child(['closeStdout']);
    const nextOf = nexts(closing);
    assert.equal(await nextOf(), '"hello"');
    await assert.rejects(nextOf(), { name: 'ProcessExitError', code: 'process-exited', exitCode: 4 });
  });

  test('[STDIO-18] a server that closes stdout but does not exit is ended, with the processes it started', async () => {
    const channel = child(['halfDead'], { graceMs: 100, killMs: 400 });
    const next = nexts(channel);
    const pid = Number(await next());
    await assert.rejects(next(), {
      name: 'ProcessExitError',
      code: 'stdout-closed',
      exitCode: null,
      signal: null,
      message: /closed its stdout/,
    });
    await gone(pid);
    await channel.close();
  });

  test('a server that is killed from outside is reported with the signal', async () => {
    const channel = child(['echo']);
    const received = nexts(channel)();
    process.kill(channel.pid!, 'SIGKILL');
    await assert.rejects(received, {
      name: 'ProcessExitError',
      code: 'process-killed',
      exitCode: null,
      signal: 'SIGKILL',
      message: /ended by SIGKILL/,
    });
  });

  test('inherits only the allow-list and the named variables', async () => {
    process.env['TENON_TEST_SECRET'] = 'secret';
    process.env['TENON_TEST_WANTED'] = 'wanted';
    process.env['TENON_TEST_FUNCTION'] = '() { :; }';
    const inheritEnv = ['TENON_TEST_WANTED', 'TENON_TEST_FUNCTION', 'TENON_TEST_UNSET'];
    // Node itself: the wrapper that tests otherwise start adds a variable (scripts/lib/caching-node.mjs).
    const command = process.argv[0]!;
    const channel = child(['env'], { command, env: { OWN: 'own', TERM: 'dumb' }, inheritEnv });
    const env = JSON.parse(String(await nexts(channel)())) as Record<string, string>;
    const allowed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'OWN', 'TENON_TEST_WANTED'];
    assert.deepEqual(
      Object.keys(env).filter((name) => !allowed.includes(name)),
      [],
    );
    assert.deepEqual([env['OWN'], env['TERM'], env['TENON_TEST_WANTED']], ['own', 'dumb', 'wanted']);
    assert.equal(env['PATH'], process.env['PATH']);
    await channel.close();
  });

  test('command and arguments are not interpreted by a shell', async () => {
    const channel = open({
      command: process.execPath,
      args: ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', '$(id)', 'a b', '"; exit'],
    });
    assert.deepEqual(JSON.parse(String(await nexts(channel)())), ['$(id)', 'a b', '"; exit']);
    await channel.close();
  });

  test('[STDIO-5] [STDIO-6] stderr is drained, kept up to a limit, and not treated as an error', async () => {
    const heard: string[] = [];
    let bytes = 0;
    const listener = (text: string): void => {
      if (bytes === 0) heard.push(text);
      bytes += Buffer.byteLength(text);
    };
    const channel = child(['noisy', String(100 * 1024 * 1024)], { stderr: listener });
    const next = nexts(channel);
    channel.send('"while it floods"');
    assert.deepEqual([await next(), await next()].sort(), ['"flooded"', '"while it floods"']);
    channel.send('"afterwards"');
    assert.equal(await next(), '"afterwards"');
    assert.equal(Buffer.byteLength(channel.stderrTail()), 64 * 1024);
    assert.match(heard[0]!, /^überall 😀\n/);
    await channel.close();
    const { stderr, code } = await channel.exited;
    assert.match(stderr, /\.the last words$/);
    assert.equal(code, 0);
    assert.ok(bytes > 100 * 1024 * 1024);
  });

  test('an endless line is reported and skipped, in bounded memory', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const channel = child(['endless', String(256 * 1024 * 1024)], {}, { lineBytes: 1024 * 1024 });
    const next = nexts(channel);
    assert.deepEqual(await next(), { problem: 'A line of more than 1048576 bytes was skipped' });
    assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024);
    assert.equal(await next(), '"after"');
    await channel.close();
  });

  test('a consumer that stops reading slows the server down', async () => {
    const channel = open({
      command: process.execPath,
      args: [fixture('peer.mjs')],
      graceMs: 100,
      killMs: 200,
    });
    const next = nexts(channel);
    await next();
    channel.send('["flood",20000,1022]');
    await next();
    const produced = await settled(() => Number(channel.stderrTail().trim().split(' ').at(-1)), 300);
    assert.ok(produced < 3_000, `${produced} KiB before anybody read`);
    for (let i = 1; i < 20_000; i++) assert.equal(String(await next()).length, 1024);
    assert.equal(await next(), '"flooded"');
    await channel.close();
  });

  test('a server that does not read slows the sender down', async () => {
    const channel = child(['wait'], { graceMs: 0, killMs: 0 });
    let sent = 0;
    const flood = assert.rejects(async () => {
      for (; sent < 1_000; sent++) await channel.send('x'.repeat(100_000));
    }, /The channel is closed/);
    await settled(() => sent, 200);
    assert.ok(sent < 100, `${sent} messages of 100 KB`);
    await channel.close();
    await flood;
  });

  test('a server that closes its stdin gets no more messages, and senders get an error', async () => {
    const channel = child(['deaf'], { graceMs: 0, killMs: 0 });
    assert.equal(await nexts(channel)(), '"deaf"');
    await assert.rejects(async () => {
      for (;;) {
        await channel.send('"x"');
        await sleep(1);
      }
    }, /no longer reads \(EPIPE\)/);
    await channel.close();
  });
});

describe('ending a server', { concurrency: true }, () => {
  test('[STDIO-16] processes that a server leaves behind in its group are ended', async () => {
    const channel = child(['parent'], { graceMs: 300, killMs: 700 });
    const [server, left] = JSON.parse(String(await nexts(channel)())) as [number, number];
    await channel.close();
    assert.deepEqual([isAlive(server), isAlive(left)], [false, false]);
  });

  test('[STDIO-16] the children of a crashed server are ended, too', async () => {
    const channel = child(['parent'], { graceMs: 300, killMs: 700 });
    const next = nexts(channel);
    const [server, left] = JSON.parse(String(await next())) as [number, number];
    process.kill(server, 'SIGKILL');
    await assert.rejects(next(), { signal: 'SIGKILL' });
    await gone(left);
  });

  test('close reads the remaining output of the server, so that it can exit', async () => {
    const channel = open({ command: process.execPath, args: [fixture('peer.mjs')], graceMs: 100_000, killMs: 200_000 });
    await nexts(channel)();
    channel.send('["flood",5000,1022]');
    await until(() => channel.stderrTail() !== '');
    await channel.close();
    assert.equal((await channel.exited).code, 0);
  });

  for (const how of ['exit', 'throw'] as const) {
    test(`servers are ended when their client ends by ${how}`, async () => {
      const client = start('client.mjs', how, fixture('child.mjs'), 'stubborn-term');
      const pid = Number(await lineReader(client.stdout)());
      assert.equal(await endOf(client), how === 'exit' ? 0 : 1);
      await gone(pid);
    });
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`servers are ended when their client is ended by ${signal}, and the signal still ends the client`, async () => {
      const client = start('client.mjs', 'stay', fixture('child.mjs'), 'stubborn-term');
      const pid = Number(await lineReader(client.stdout)());
      client.kill(signal);
      assert.equal(await endOf(client), signal);
      await gone(pid);
    });
  }

  test('a client with its own signal handler decides itself', async () => {
    const client = start('client.mjs', 'own-handler', fixture('child.mjs'), 'stubborn-term');
    const err = textOf(client.stderr);
    const pid = Number(await lineReader(client.stdout)());
    client.kill('SIGTERM');
    assert.equal(await endOf(client), 9, await err);
    await gone(pid);
  });
});

// One after the other: the clock is stopped, so a test that waits for a timer has to advance it.
describe('a server as a child process, without waiting', () => {
  test('a crash is reported with exit code and the last stderr, to readers and senders', async (t) => {
    stopTime(t);
    const channel = child(['crash']);
    const received = nexts(channel)();
    channel.send('"die"');
    await assert.rejects(received, (error: Error) => {
      assert.ok(error instanceof ProcessExitError);
      assert.deepEqual([error.code, error.exitCode], ['process-exited', 3]);
      assert.match(error.message, /^The server process exited with code 3\. Its last stderr:\n/);
      assert.ok(
        error.message.endsWith('Error: \\u001b[31mno database\\u001b[0m'),
        'control characters are made visible',
      );
      assert.ok(error.message.length < 3_000);
      assert.equal(Buffer.byteLength(error.stderr), 64 * 1024);
      return true;
    });
    await assert.rejects(Promise.resolve(channel.send('"more"')), {
      name: 'ProcessExitError',
      code: 'process-exited',
      exitCode: 3,
    });
    await channel.close();
  });

  test('a server that exits at once is a typed error, also for later sends', async (t) => {
    stopTime(t);
    const channel = child(['quick', '12']);
    const received = assert.rejects(nexts(channel)(), {
      name: 'ProcessExitError',
      code: 'process-exited',
      exitCode: 12,
    });
    const sending = assert.rejects(
      async () => {
        for (;;) {
          await channel.send('x'.repeat(100_000));
          await sleep(1);
        }
      },
      { name: 'ProcessExitError', code: 'process-exited', exitCode: 12 },
    );
    await Promise.all([received, sending]);
  });

  test('a server that cannot be started is a typed error', async (t) => {
    stopTime(t);
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'not a program');
    chmodSync(plain, 0o644);
    const cases: [Command, string, string, RegExp][] = [
      [{ command: 'tenon-no-such-program' }, 'no-such-program', 'ENOENT', /no such program \(ENOENT\)/],
      [{ command: plain }, 'not-executable', 'EACCES', /not executable \(EACCES\)/],
      [
        { command: process.execPath, cwd: join(folder, 'nowhere') },
        'no-such-folder',
        'ENOENT',
        /folder '.*nowhere' does not exist/,
      ],
      [{ command: 'a\0b' }, 'spawn-failed', 'ERR_INVALID_ARG_VALUE', /null bytes/],
    ];
    for (const [command, code, systemCode, message] of cases) {
      const channel = open(command);
      assert.equal(channel.pid, undefined);
      const error = { name: 'SpawnError', code, systemCode, message };
      await assert.rejects(all(channel), error);
      await assert.rejects(Promise.resolve(channel.send('"x"')), SpawnError);
      assert.deepEqual(await channel.exited, { code: null, signal: null, stderr: '' });
      await channel.close();
    }
  });

  test('a process outside the group that holds the pipes does not delay the report of the exit', async (t) => {
    const time = stopTime(t);
    const channel = child(['escape']);
    const next = nexts(channel);
    const escaped = Number(await next());
    const news = assert.rejects(next(), { name: 'ProcessExitError', code: 'process-exited', exitCode: 5 });
    await collected(channel.pid!);
    // The pipes are silent, and stay open.
    await time.pass(200);
    await news;
    await channel.close();
    process.kill(escaped, 'SIGKILL');
  });
});

describe('the steps of ending a server', () => {
  test('[STDIO-14] first its stdin is closed; a server that reacts to that is gone at once', async (t) => {
    stopTime(t);
    const channel = open({ command: process.execPath, args: [fixture('child.mjs'), 'echo'] });
    channel.send('"hello"');
    await nexts(channel)();
    await Promise.all([channel.close(), channel.close()]);
    assert.deepEqual(await channel.exited, { code: 0, signal: null, stderr: '' });
    assert.deepEqual(await all(channel), []);
    await assert.rejects(Promise.resolve(channel.send('"x"')), /The channel is closed/);
  });

  /** Closes a server that ignores both the end of its stdin and SIGTERM; returns the signals sent to its group, and when. */
  const signalsSent = async (t: TestContext, command: Partial<Command>, steps: readonly [number, number]) => {
    const channel = open({ command: process.execPath, args: [fixture('child.mjs'), 'stubborn'], ...command });
    const next = nexts(channel);
    const pids = [Number(await next())];
    if (command.command !== undefined) pids.push(Number(await next()));
    const time = stopTime(t);
    const sent: [number, unknown][] = [];
    let looks = 0;
    const { kill } = process;
    t.mock.method(process, 'kill', (pid: number, signal: NodeJS.Signals | 0) => {
      if (pid === -channel.pid!) {
        if (signal === 0) looks++;
        // The processes that the first SIGKILL has not ended yet when the leader's exit becomes known are sent another one.
        else if (signal !== 'SIGKILL' || sent.at(-1)?.[1] !== signal) sent.push([time.now(), signal]);
      }
      return kill(pid, signal);
    });
    const countOf = (what: string): number => channel.stderrTail().split(what).length - 1;
    const closing = channel.close();
    await until(() => countOf('EOF') === pids.length);
    await time.pass(steps[0] - 1);
    assert.deepEqual(sent, []);
    await time.pass(1);
    await until(() => countOf('SIGTERM') === pids.length);
    await time.pass(steps[1] - steps[0] - 1);
    assert.deepEqual(
      pids.map(isAlive),
      pids.map(() => true),
    );
    await time.pass(1);
    const before = looks;
    // If the leader was ended by SIGTERM, the other processes are checked at intervals of real time.
    await until(() => sent.length > 1 || looks > before + 1);
    await closing;
    assert.deepEqual(
      pids.map(isAlive),
      pids.map(() => false),
    );
    return { sent, exit: await channel.exited };
  };

  test('[STDIO-14] [STDIO-15] [STDIO-16] then SIGTERM after 2 s, SIGKILL after 5 s, to the whole group behind a shell', async (t) => {
    const node = `"${process.execPath}" "${fixture('child.mjs')}"`;
    const shell = { command: 'sh', args: ['-c', `${node} stubborn <&0 & ${node} stubborn; true`] };
    const { sent } = await signalsSent(t, shell, [2_000, 5_000]);
    assert.deepEqual(sent, [
      [2_000, 'SIGTERM'],
      [5_000, 'SIGKILL'],
    ]);
  });

  test('[STDIO-15] the time limits of the steps can be shortened', async (t) => {
    const { sent, exit } = await signalsSent(t, { graceMs: 50, killMs: 100 }, [50, 100]);
    assert.deepEqual(sent, [
      [50, 'SIGTERM'],
      [100, 'SIGKILL'],
    ]);
    assert.equal(exit.signal, 'SIGKILL');
  });
});
