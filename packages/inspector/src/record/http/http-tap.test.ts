import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { TraceLine } from '../../trace/line.ts';
import type { TraceSink } from '../../trace/node/trace-writer.ts';
import { tapHttp } from './http-tap.ts';

test('a closed tap has written the last answer, even if it takes a while to decode', async (t) => {
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(8_000_000) } });
  const packed = gzipSync(answer);
  const server = createServer((incoming, outgoing) => {
    incoming.resume().once('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      outgoing.end(packed);
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const lines: TraceLine[] = [];
  const append = (line: Omit<TraceLine, 'n' | 'at'>): TraceLine => {
    const appended = { n: lines.length + 1, at: 0, ...line };
    lines.push(appended);
    return appended;
  };
  const tap = await tapHttp({
    target: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    name: 'it',
    // The part of a trace that a tap needs.
    sink: { now: () => 0, append } as unknown as TraceSink,
  });
  const body = gzipSync('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  const response = await fetch(tap.url, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body });
  assert.equal((await response.text()).length, answer.length);
  await tap.close();
  const messages = lines.filter(({ kind }) => kind === 'message').map(({ from, text }) => [from, text.length]);
  assert.deepEqual(messages, [
    ['client', 40],
    ['server', answer.length],
  ]);
});
