// HTTP+SSE, as clients of 2024-11-05 use it: one URL to listen at, one to post to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields, live, send, until } from './send.ts';
import { initializeBody, stage } from './stage.ts';

const s = await stage({ sse: true });
const sse = s.url.replace(/mcp$/, 'sse');
const LISTEN: Fields = { accept: 'text/event-stream' };
const POST: Fields = { 'content-type': 'application/json' };

async function open(url = sse, fields = LISTEN) {
  const listening = live(url, 'GET', fields);
  assert.equal(await listening.status, 200);
  await until(() => listening.events.length > 0);
  const [first] = listening.events;
  return { listening, first: first!, address: new URL(first!.data, url).href };
}

test('[SSE-1, SSE-2] the first event contains the URL to post to; responses come as events of the stream', async () => {
  const { listening, first, address } = await open();
  assert.equal(first.event, 'endpoint');
  assert.match(first.data, /^\/messages\?sessionId=/);
  assert.equal((await send(address, 'POST', POST, initializeBody('2024-11-05'))).status, 202);
  const greeting = await listening.next();
  assert.equal(greeting.result.protocolVersion, '2024-11-05');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } };
  assert.equal((await send(address, 'POST', POST, JSON.stringify(call))).status, 202);
  assert.equal((await listening.next()).result.content[0].text, '3');
  assert.ok(listening.events.slice(1).every(({ event }) => event === 'message'));
  listening.drop();
});

test('a session ends with its stream, and invalid URLs are refused', async () => {
  const { listening, address } = await open();
  listening.drop();
  await until(async () => (await send(address, 'POST', POST, initializeBody('2024-11-05'))).status === 404);
  for (const made of [`${sse.replace(/sse$/, 'messages')}`, `${sse.replace(/sse$/, 'messages')}?sessionId=made-up`])
    assert.ok([400, 404].includes((await send(made, 'POST', POST, initializeBody('2024-11-05'))).status));
  assert.equal((await send(sse, 'POST', POST, '{}')).status, 405);
  assert.equal((await send(address, 'GET', LISTEN)).status, 405);
  await s.checkWorks();
});

test('[A-01, A-02] both paths are guarded like the endpoint', async () => {
  const { listening, address } = await open();
  for (const [url, method, fields] of [
    [sse, 'GET', LISTEN],
    [address, 'POST', POST],
  ] as const) {
    assert.equal((await send(url, method, { ...fields, host: 'evil.example' }, '{}')).status, 403);
    assert.equal((await send(url, method, { ...fields, origin: 'http://evil.example' }, '{}')).status, 403);
  }
  assert.equal((await send(address, 'POST', { 'content-type': 'text/plain' }, '{}')).status, 415);
  listening.drop();
});

test('HTTP+SSE is available only if it is switched on', async () => {
  const without = await stage();
  for (const path of ['sse', 'messages'])
    assert.equal((await send(without.url.replace(/mcp$/, path), 'GET', LISTEN)).status, 404);
});
