// Numbers in a message keep their value and their type, or the message has no effect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreesOn, connectScripted } from '../../src/entries/testing.ts';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, KEY, until } from './dialog.ts';

function newSeen(): Seen {
  return { ran: [], aborted: [] };
}

/** The progress tokens that the server sent, as raw text. */
function tokensIn(texts: readonly string[]): string[] {
  return texts
    .filter((text) => text.includes('"notifications/progress"'))
    .map((text) => /"progressToken":("[^"]*"|[^,}]+)/.exec(text)![1]!);
}

function callWith(token: string, isModern: boolean): string {
  const meta = isModern
    ? JSON.stringify(claimed({ name: 'work' })['_meta']).replace('{', `{"progressToken":${token},`)
    : `{"progressToken":${token}}`;
  return `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"work","arguments":{},"_meta":${meta}}}`;
}

for (const isModern of [false, true])
  test(`progress is reported under exactly the token of the request, or not at all, ${isModern ? 'modern' : 'legacy'}`, async (t) => {
    for (const [token, kept] of [
      ['9007199254740993', []],
      ['-9007199254740993', []],
      ['1700000000000000123', []],
      ['1e400', []],
      ['-1e400', []],
      ['"1"', ['"1"']],
      ['9007199254740991', ['9007199254740991']],
      ['1.5', []],
    ] as const) {
      const it = dialog(t, makeApp(), { unchecked: true });
      if (!isModern) await it.handshake('2025-11-25');
      it.send(callWith(token, isModern));
      const answer = await it.next(({ id }) => id === 'c');
      assert.ok(answer.result ?? answer.error, token);
      assert.deepEqual(tokensIn(it.texts), kept, token);
    }
  });

test("a cancellation must have the value and the type of the request's id", async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  await it.handshake('2025-11-25');
  it.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: {} } });
  it.send({ jsonrpc: '2.0', id: '2', method: 'tools/call', params: { name: 'slow', arguments: {} } });
  await until(() => seen.ran.length === 2);
  for (const id of ['"1"', '1.5', '2', '[1]', '{"a":1}', 'true', 'null', '1e400', '"1.0"'])
    it.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
  await it.request('ping');
  assert.deepEqual(seen.aborted, []);
  it.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}');
  await until(() => seen.aborted.length === 1);
  it.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"2"}}');
  await until(() => seen.aborted.length === 2);
});

test('progress of a server is accepted only with the value and the type of the token that was sent', async () => {
  const reported: number[] = [];
  const { client } = await connectScripted({
    ...agreesOn('2025-11-25', { capabilities: { tools: {} } }),
    'tools/list': { tools: [{ name: 'work', inputSchema: { type: 'object' } }] },
    'tools/call': async ({ params }, peer) => {
      const token = (params as { _meta: { progressToken: string | number } })._meta.progressToken;
      const other = typeof token === 'number' ? String(token) : Number(token);
      for (const wrong of [
        other,
        [token],
        { token },
        true,
        null,
        typeof token === 'number' ? token + 0.5 : `${token} `,
      ])
        await peer.notify('notifications/progress', { progressToken: wrong, progress: 1 });
      await peer.notify('notifications/progress', { progressToken: token, progress: 2 });
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  await client.call('work', {}, { onProgress: ({ progress }) => void reported.push(progress) });
  assert.deepEqual(reported, [2]);
  await client.close();
});

test('a log level, a cursor and a protocol version that are numbers are refused by name', async (t) => {
  const it = dialog(t, makeApp(), { unchecked: true });
  await it.handshake('2025-11-25');
  for (const [method, params] of [
    ['logging/setLevel', { level: 3 }],
    ['tools/list', { cursor: 1 }],
    ['tools/call', { name: 7 }],
    ['resources/read', { uri: 7 }],
  ] as const) {
    const { error } = await it.request(method, params);
    assert.equal(error?.code, -32602, `${method}: ${JSON.stringify(error)}`);
  }
  const { error } = await it.request('tools/list', { _meta: { [KEY.version]: 20260728, [KEY.capabilities]: {} } });
  assert.ok(error === undefined || error.code === -32602, JSON.stringify(error));
});
