import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { endOf, fixture, goneAfter, lineReader, start, textOf } from './fixtures/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-serve-process-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a served process', { concurrency: true }, () => {
  test('[STDIO-17] exits within two seconds of the end of stdin, with timers and sockets open', async () => {
    const child = start('peer.mjs', '{}', 'alive');
    const next = lineReader(child.stdout);
    await next();
    const from = performance.now();
    child.stdin.end('["never"]\n');
    assert.equal(await endOf(child), 0);
    assert.ok(performance.now() - from < 2_000);
  });

  test('finishes within the grace what was asked before the end of stdin', async () => {
    const child = start('peer.mjs', '{"graceMs":60000}', 'alive');
    const out = textOf(child.stdout);
    child.stdin.end('["late","answer",300]\n');
    assert.equal(await endOf(child), 0, 'exits when the work is done, not when the grace is over');
    assert.match(await out, /\n"answer"\n$/);
  });

  test('what was sent last leaves before the process does', async () => {
    const child = start('peer.mjs', '{}', 'alive');
    child.stdin.end('["big",3000000]\n');
    await once(child.stdout, 'readable');
    await sleep(200);
    assert.match(await textOf(child.stdout), /\n"z{3000000}"\n$/);
    assert.equal(await endOf(child), 0);
  });

  test('keeps the exit code that was set', async () => {
    const child = start('peer.mjs', '{}', 'exit-code');
    child.stdin.end();
    assert.equal(await endOf(child), 7);
  });

  test('with exit: false it only resolves', async () => {
    const child = start('peer.mjs', '{"exit":false}', 'alive');
    const err = textOf(child.stderr);
    const next = lineReader(child.stdout);
    await next();
    child.stdin.end();
    await once(child.stderr, 'data');
    await sleep(100);
    assert.equal(child.exitCode, null, 'its timers keep it alive');
    child.kill('SIGTERM');
    assert.equal(await endOf(child), 'SIGTERM');
    assert.equal(await err, 'resolved');
    const idle = start('peer.mjs', '{"exit":false}');
    idle.stdin!.end();
    assert.equal(await endOf(idle), 0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} lets running calls finish, then exits`, async () => {
      const child = start('peer.mjs', '{"graceMs":60000}', 'alive');
      const next = lineReader(child.stdout);
      await next();
      child.stdin.write('["late","answer",400]\n["echo","started"]\n');
      assert.equal(await next(), '"started"');
      child.kill(signal);
      assert.equal(await next(), '"answer"');
      assert.equal(await endOf(child), 0);
    });
  }

  test('a second signal does not wait', async () => {
    const child = start('peer.mjs', '{"graceMs":60000}', 'alive');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write('["never"]\n["echo","started"]\n');
    await next();
    child.kill('SIGINT');
    await sleep(200);
    child.kill('SIGINT');
    assert.equal(await endOf(child), 130);
  });

  test('[STDIO-17] is gone within two seconds after its client was killed, whatever its error handlers log', async () => {
    const client = start('client.mjs', 'stay', fixture('peer.mjs'), '{}', 'alive', 'log-errors');
    const next = lineReader(client.stdout);
    const pid = Number(await next());
    assert.ok(pid > 0);
    client.kill('SIGKILL');
    assert.ok((await goneAfter(pid, 4_000)) < 2_000);
  });

  test('an uncaught-exception handler that logs to a dead stderr does not keep the process busy', async () => {
    const report = join(folder, 'uncaught');
    const child = start('peer.mjs', '{}', 'alive', 'log-errors');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write(`["reportTo",${JSON.stringify(report)}]\n`);
    await next();
    child.stderr.destroy();
    child.stdout.destroy();
    child.stdin.end('["throwOn"]\n["writeOn"]\n["never"]\n');
    assert.equal(await endOf(child, 2_000), 0);
    const { cpuMs } = JSON.parse(readFileSync(report, 'utf8')) as { cpuMs: number };
    assert.ok(cpuMs < 500, `${cpuMs} ms of CPU`);
  });
});
