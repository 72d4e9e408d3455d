// The traces in docs/trace.md are real ones.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { AUTH_STEPS, createTraceWriter, LINE_KINDS, parseHead, parseLine, tapHttp, tapStdio } from '../src/trace.ts';
import { until } from '../../../scripts/lib/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-page-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(join(import.meta.dirname, '../../../docs/trace.md'), 'utf8');
const blocks = [...page.matchAll(/```mcptrace\n([\s\S]*?)```/g)].map(([, block]) => block!.trimEnd());

/** The text without the parts that change each time: times and ports. */
function steady(text: string): string {
  return text
    .replace(/"began":"[^"]+"/g, '"began":"…"')
    .replace(/"at":[\d.]+/g, '"at":0')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:0')
    .replace(/"date":"[^"]+"/g, '"date":"…"');
}

const BY = 'tenon 0.1.0';

const SERVER = `
console.log('Weather 1.0.0');
console.error('connecting with token 4f5d-99aa-1c02');
process.stdin.once('data', () => {
  console.log('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"sunny"}]}}');
});`;

const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":{"city":"Bern","password":"1234"}}}';

/** The trace of a tap between a client and a server over stdio. */
async function overStdio(): Promise<string> {
  writeFileSync(join(folder, 'weather.mjs'), SERVER);
  const file = join(folder, 'stdio.mcptrace');
  const writer = createTraceWriter(file, BY);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const tap = await tapStdio({
    command: 'node',
    args: ['weather.mjs'],
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`, WEATHER_TOKEN: '4f5d-99aa-1c02' },
    name: 'weather',
    sink: writer,
    stdin,
    stdout,
    stderr: new PassThrough().resume(),
  });
  // One after the other, so that the lines are always in the same order.
  const untilWritten = async (text: string): Promise<void> => {
    await until(() => {
      writer.flush();
      return readFileSync(file, 'utf8').includes(text);
    }, text);
  };
  stdout.resume();
  await untilWritten('Weather 1.0.0');
  await untilWritten('"stderr"');
  stdin.write(`${CALL}\n`);
  await untilWritten('sunny');
  stdin.end();
  assert.deepEqual(await tap.ended, { code: 0, signal: null });
  writer.close();
  return readFileSync(file, 'utf8').trimEnd();
}

/** The trace of a tap between a client and a server over HTTP. */
async function overHttp(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.sendDate = false;
      outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b' });
      outgoing.end('data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"sunny"}]}}\n\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const file = join(folder, 'http.mcptrace');
  const writer = createTraceWriter(file, BY);
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?key=1234`;
  const tap = await tapHttp({ target, name: 'weather', sink: writer });
  const { request } = await import('node:http');
  const outgoing = request(tap.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer 4f5d-99aa-1c02', Connection: 'close' },
  });
  outgoing.end(CALL);
  const [answer] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  answer.resume();
  await once(answer, 'end');
  await tap.close();
  server.close();
  writer.close();
  return readFileSync(file, 'utf8').trimEnd();
}

test('the trace of a process is as the page shows it', async () => {
  assert.equal(steady(blocks[0]!), steady(await overStdio()));
});

test('the trace over HTTP is as the page shows it', async () => {
  assert.equal(steady(blocks[1]!), steady(await overHttp()));
});

test('every line that the page shows can be read', () => {
  for (const block of blocks) {
    const [head, ...lines] = block.split('\n');
    assert.equal(parseHead(head!).mcptrace, 1);
    for (const line of lines) assert.ok('line' in parseLine(line), line);
  }
});

test('the page names every kind of line, every member and every step', () => {
  const source = readFileSync(join(import.meta.dirname, '../src/trace/line.ts'), 'utf8');
  const members = [...source.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name!);
  assert.ok(members.length > 20);
  const words = [...LINE_KINDS, ...AUTH_STEPS, ...members];
  assert.deepEqual(
    words.filter((word) => !page.includes(`\`${word}\``)),
    [],
  );
});
