import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { turns, until } from '../../../../scripts/lib/until.ts';
import { createRecorder } from '../record/recorder.ts';
import { createRedactor } from '../record/redact.ts';
import { createTraceStore } from '../trace/node/trace-store.ts';
import { mirrorsOf } from '../values/mirror-headers.ts';
import { postFrame } from './post-frame.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-frame-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
async function against(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const store = createTraceStore(join(folder, `${++count}.mcptrace`), 'test');
  const head = { name: 'it', transport: 'http', target: url, recorder: 'client' } as const;
  const recorder = createRecorder(store, 'it#1', head, createRedactor());
  const closing = new AbortController();
  const frame = '{"jsonrpc":"2.0","id":1,"method":"x"}';
  const { done } = await postFrame(url, frame, recorder, {}, undefined, closing.signal);
  return {
    done,
    closing,
    said: () =>
      store
        .read(1, store.index.length)
        .filter(({ from, kind }) => from === 'server' || kind === 'lost')
        .map(({ kind, text }) => `${kind} ${text}`),
    async close() {
      server.closeAllConnections();
      server.close();
      await done;
      store.close();
    },
  };
}

test('a character that arrives in two chunks is one character in the trace', async () => {
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"text":"ä€😀"}}');
  const { done, said, close } = await against((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let at = 0;
    const next = (): void => {
      if (at === bytes.length) return void response.end();
      response.write(bytes.subarray(at, ++at));
      setTimeout(next, 1);
    };
    next();
  });
  await done;
  assert.deepEqual(said(), [`message ${bytes.toString()}`]);
  await close();
});

test('the messages of a stream are in the trace before the stream ends', async () => {
  const { said, close } = await against((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  });
  await until(() => said().length > 0);
  assert.deepEqual(said(), ['message {"jsonrpc":"2.0","id":1,"result":{}}']);
  await close();
});

test('a frame has the mirrored headers that a server of 2026-07-28 requires', () => {
  assert.deepEqual(mirrorsOf('{"id":1,"method":"tools/call","params":{"name":"größe"}}'), {
    'mcp-method': 'tools/call',
    'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
  });
  for (const text of ['', '[]', 'null', '{"method":"x"}', '{"id":1}', '{"id":1,"method":7}'])
    assert.deepEqual(mirrorsOf(text), {}, text);
});

test('a frame counts as sent while its stream is still open', async () => {
  const { done, said, closing, close } = await against((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"jsonrpc":"2.0","method":"x"}\n\n');
  });
  // The frame has been sent, and its stream is still open.
  let isDone = false;
  void done.then(() => (isDone = true));
  await until(() => said().length > 0);
  await turns();
  assert.equal(isDone, false);
  assert.deepEqual(said(), ['message {"jsonrpc":"2.0","method":"x"}']);
  closing.abort();
  await done;
  assert.deepEqual(said(), ['message {"jsonrpc":"2.0","method":"x"}']);
  await close();
});
