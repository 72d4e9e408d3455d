import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { until } from '../../../../../scripts/lib/until.ts';
import { endOf, fixture, gone, lineReader, start, textOf } from './fixtures/processes.ts';
import { runUntilClosed } from './run-until-closed.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-serve-process-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a served process', { concurrency: true }, () => {
  test('[STDIO-17] exits after the end of stdin, with timers and sockets open', async () => {
    const child = start('peer.mjs', '{}', 'alive');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.end('["never"]\n');
    assert.equal(await endOf(child), 0);
  });

  test('finishes requests from before the end of stdin within the grace period', async () => {
    const child = start('peer.mjs', '{"graceMs":1000000}', 'alive');
    const out = textOf(child.stdout);
    child.stdin.end('["late","answer",300]\n');
    assert.equal(await endOf(child), 0, 'exits when the work is done, not when the grace is over');
    assert.match(await out, /\n"answer"\n$/);
  });

  test('the last output is written before the process exits', async () => {
    const child = start('peer.mjs', '{"graceMs":1000000}', 'alive', 'patient');
    child.stdin.end('["big",3000000]\n');
    await once(child.stdout, 'readable');
    assert.match(await textOf(child.stdout), /\n"z{3000000}"\n$/);
    assert.equal(await endOf(child), 0);
  });

  test('keeps the exit code that was set', async () => {
    const child = start('peer.mjs', '{}', 'exit-code');
    child.stdin.end();
    assert.equal(await endOf(child), 7);
  });

  test('with exit: false it only resolves', async () => {
    const child = start('peer.mjs', '{"exit":false}', 'alive', 'ticks');
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const next = lineReader(child.stdout);
    await next();
    child.stdin.end();
    await until(() => /^\.*resolved\.{3}/.test(err), 'its timers keep it alive');
    child.kill('SIGTERM');
    assert.equal(await endOf(child), 'SIGTERM');
    const idle = start('peer.mjs', '{"exit":false}');
    idle.stdin!.end();
    assert.equal(await endOf(idle), 0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} lets running calls finish, then exits`, async () => {
      const child = start('peer.mjs', '{"graceMs":1000000}', 'alive');
      const next = lineReader(child.stdout);
      await next();
      child.stdin.write('["late","answer",400]\n["echo","started"]\n');
      assert.equal(await next(), '"started"');
      child.kill(signal);
      assert.equal(await next(), '"answer"');
      assert.equal(await endOf(child), 0);
    });
  }

  test('a second signal ends it at once', async () => {
    const child = start('peer.mjs', '{"graceMs":1000000}', 'alive', 'tell-signals');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write('["never"]\n["echo","started"]\n');
    await next();
    child.kill('SIGINT');
    // Two equal signals that arrive together are delivered once.
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    assert.equal(await endOf(child), 130);
  });

  test('[STDIO-17] exits after its client was killed, whatever its error handlers log', async () => {
    const client = start('client.mjs', 'stay', fixture('peer.mjs'), '{}', 'alive', 'log-errors');
    const next = lineReader(client.stdout);
    const pid = Number(await next());
    assert.ok(pid > 0);
    client.kill('SIGKILL');
    await gone(pid);
  });

  test('an uncaught-exception handler that logs to a broken stderr does not keep the process busy', async () => {
    const report = join(folder, 'uncaught');
    const child = start('peer.mjs', '{}', 'alive', 'log-errors');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write(`["reportTo",${JSON.stringify(report)}]\n`);
    await next();
    child.stderr.destroy();
    child.stdout.destroy();
    child.stdin.end('["throwOn"]\n["writeOn"]\n["never"]\n');
    assert.equal(await endOf(child), 0);
    const { cpuMs } = JSON.parse(readFileSync(report, 'utf8')) as { cpuMs: number };
    assert.ok(cpuMs < 500, `${cpuMs} ms of CPU`);
  });
});

test('[STDIO-17] calls that run when the client is gone get less than two seconds', async (t) => {
  const time = stopTime(t);
  let ended = false;
  const running = runUntilClosed(
    { closed: Promise.resolve(), close: () => new Promise(() => {}) },
    { exit: false },
  ).then(() => (ended = true));
  await time.pass(900);
  assert.equal(ended, false);
  await time.pass(900);
  assert.equal(ended, true);
  await running;
});
