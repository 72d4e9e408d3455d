import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { endOf, fixture, lineReader, settled, start, textOf } from './fixtures/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-own-stdio-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the stdio of this process', { concurrency: true }, () => {
  test('[STDIO-1] every message is one line, in both directions', async () => {
    const child = start('peer.mjs');
    const next = lineReader(child.stdout);
    assert.equal(await next(), String(child.pid));
    child.stdin.write('["echo",1]\n["echo",{"a":"\\n"}]\n["echo","é€😀"]\r\n');
    assert.equal(await next(), '1');
    assert.equal(await next(), '{"a":"\\n"}');
    assert.equal(await next(), '"é€😀"');
    child.stdin.end();
    assert.equal(await endOf(child), 0);
  });

  test('[STDIO-3] [STDIO-5] output of handlers and dependencies goes to stderr, never to stdout', async () => {
    const child = start('peer.mjs');
    const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
    child.stdin.end('["print"]\n["echo",2]\n');
    assert.equal(await endOf(child), 0);
    const lines = (await out).trimEnd().split('\n');
    assert.deepEqual(lines.sort(), ['"callback"', '"printed"', '2', String(child.pid)].sort());
    const log = await err;
    for (const part of [
      'console.log',
      'console.info',
      'console.debug',
      'a buffer',
      'an early stdout',
      'an early console.log',
      'end',
    ]) {
      assert.ok(log.includes(`from ${part}\n`), part);
    }
    assert.match(log, /no newlinefrom a buffer/);
    assert.match(log, /\(index\).*a/);
    assert.match(log, /\{ b: 2 \}/);
  });

  test('output beyond a limit is dropped while stderr is not read, and that is reported', async () => {
    const child = start('peer.mjs');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write('["printMuch",60]\n');
    const held = Number(await next());
    assert.ok(held > 15 * 1024 * 1024 && held < 18 * 1024 * 1024, `${held} bytes are held`);
    const err = textOf(child.stderr);
    // Reads until the held output has been written.
    for (let left = held; left > 0;) {
      child.stdin.write('["printMuch",0]\n');
      left = Number(await next());
    }
    child.stdin.end('["print"]\n');
    assert.equal(await endOf(child), 0);
    const log = await err;
    const [, missing] =
      /\n\((\d+) characters of output are missing here: stderr was not read fast enough\)\nfrom console\.log/.exec(
        log,
      )!;
    assert.equal(Number(missing) + (log.match(/y+\n/g) ?? []).length * 1024 * 1024, 60 * 1024 * 1024);
  });

  test('works over real pipes and with files', async () => {
    const input = join(folder, 'input');
    writeFileSync(input, '["echo","from a file"]\n["late","and late",50]\n');
    const run = promisify(execFile);
    const node = `'${process.execPath}' '${fixture('peer.mjs')}'`;
    const piped = await run('sh', ['-c', `cat '${input}' | ${node} | cat`]);
    assert.deepEqual(piped.stdout.split('\n').slice(1), ['"from a file"', '"and late"', '']);
    const output = join(folder, 'output');
    const child = spawn(process.execPath, [fixture('peer.mjs')], {
      stdio: [openSync(input, 'r'), openSync(output, 'w'), 'pipe'],
    });
    assert.equal(await endOf(child), 0);
    assert.deepEqual(readFileSync(output, 'utf8').split('\n').slice(1), ['"from a file"', '"and late"', '']);
  });

  test('a client that does not read slows the producer down, and then gets every byte', async () => {
    const child = start('peer.mjs');
    let produced = 0;
    child.stderr
      .setEncoding('utf8')
      .on('data', (text: string) => (produced = Number(text.trim().split(' ').at(-1)) || produced));
    child.stdin.write('["flood",20000,1022]\n');
    await settled(() => produced, 300);
    // Pipe buffers of the system, and one high-water mark of ours.
    assert.ok(produced < 2_000, `${produced} KiB before anybody read`);
    const next = lineReader(child.stdout);
    assert.equal(await next(), String(child.pid));
    const line = JSON.stringify('x'.repeat(1022));
    for (let i = 0; i < 20_000; i++) if ((await next()) !== line) assert.fail(`line ${i}`);
    assert.equal(await next(), '"flooded"');
    child.stdin.end();
    assert.equal(await endOf(child), 0);
  });

  test('a line that is too long is reported and skipped', async () => {
    const child = start('peer.mjs');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write(Buffer.alloc(12 * 1024 * 1024, 0x61));
    child.stdin.write('\n["echo","next"]\n');
    assert.match((JSON.parse(await next()) as { problem: string }).problem, /more than 10485760 bytes was skipped/);
    assert.equal(await next(), '"next"');
    child.stdin.end();
    assert.equal(await endOf(child), 0);
  });

  test('a broken stdout breaks the channel once: fewer than ten failed writes, then the process exits', async () => {
    const report = join(folder, 'epipe');
    const child = start('peer.mjs', '{}', 'count', 'alive', 'log-errors');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.write(`["reportTo",${JSON.stringify(report)}]\n["writeOn"]\n["writeOn"]\n`);
    assert.equal(await next(), '"will report"');
    child.stdout.destroy();
    // stdin stays open: the broken stdout alone ends the process.
    assert.equal(await endOf(child), 0);
    const { failedWrites, broke } = JSON.parse(readFileSync(report, 'utf8')) as { failedWrites: number; broke: string };
    assert.ok(failedWrites >= 1 && failedWrites < 10, `${failedWrites} failed writes`);
    assert.match(broke, /^ConnectionError: .*EPIPE/);
  });

  test('[STDIO-2] a message with a raw line break is refused', async () => {
    const child = start('peer.mjs');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.end('["sendRaw","{\\n}"]\n["sendRaw","\\r"]\n');
    assert.deepEqual([await next(), await next()], ['"TypeError"', '"TypeError"']);
    assert.equal(await endOf(child), 0);
  });

  test('stdio can be taken only once', async () => {
    const child = start('peer.mjs');
    const next = lineReader(child.stdout);
    await next();
    child.stdin.end('["takeAgain"]\n');
    assert.match(await next(), /already in use/);
    assert.equal(await endOf(child), 0);
  });
});
