import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeApp, type Seen } from './app.ts';
import { claimed, dialog, type Message, MODERN, until } from './dialog.ts';

function newSeen(): Seen {
  return { ran: [], aborted: [] };
}
const discover = { method: 'server/discover', params: claimed() };

/** Valid ids. */
const IDS: readonly (string | number)[] = [
  'a',
  '',
  '1',
  '__proto__',
  'ü\u0000"\\\n',
  'x'.repeat(1_000),
  0,
  1,
  -1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
];

for (const id of IDS) {
  const name = JSON.stringify(id).slice(0, 40);
  test(`[BASE-4] [BASE-8] [BASE-9] the id ${name} is returned with its value and type, with a result and with an error`, async (t) => {
    const it = dialog(t, makeApp());
    assert.equal((await it.request('server/discover', claimed(), id)).id, id);
    assert.equal((await it.request('no/such', claimed(), id)).id, id);
    const refused = await it.request('tools/list', {}, id);
    assert.equal(refused.id, id);
    assert.equal(refused.error?.code, -32602);
    assert.deepEqual(await it.remaining(), []);
  });
}

for (const id of ['null', 'true', 'false', '{}', '[]', '[1]', '{"a":1}', '1e999', '1.5', '-0.5', '1e-3']) {
  test(`[BASE-5] [BASE-9] [A-27] ${id} is not a valid id: -32600 without an id, and nothing runs`, async (t) => {
    const seen = newSeen();
    const it = dialog(t, makeApp(seen));
    it.send(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(claimed({ name: 'add', arguments: { a: 1, b: 2 } }))}}`,
    );
    const answer = await it.next();
    assert.equal(answer.error?.code, -32600);
    assert.ok(!('id' in answer));
    assert.deepEqual(await it.remaining(), []);
    assert.deepEqual(seen.ran, []);
  });
}

for (const id of ['9007199254740992', '9007199254740993', '-9007199254740993', '1700000000000000123', '1e21']) {
  test(`[BASE-8] [BASE-9] ${id} is not a valid id: parsing rounds integers of this size`, async (t) => {
    const it = dialog(t, makeApp());
    it.send(`{"jsonrpc":"2.0","id":${id},"method":"server/discover","params":${JSON.stringify(claimed())}}`);
    await it.next();
    const [text] = it.texts;
    assert.match(text!, /"error":\{"code":-32600/);
    assert.doesNotMatch(text!, /"id":/);
  });
}

test('[BASE-14] [BASE-15] a notification is never answered, whatever it contains, and runs nothing', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  await it.handshake('2025-11-25');
  for (const message of [
    { method: 'notifications/unknown' },
    { method: 'notifications/initialized' },
    { method: 'notifications/cancelled' },
    { method: 'notifications/cancelled', params: { requestId: null } },
    { method: 'notifications/progress', params: { progressToken: 1, progress: 'x' } },
    { method: 'notifications/roots/list_changed' },
    { method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
    { method: 'tools/call', params: claimed({ name: 'add', arguments: { a: 1, b: 2 } }) },
    { method: 'initialize', params: { protocolVersion: MODERN } },
    { method: 'ping' },
    { method: '__proto__' },
    { method: '' },
    { method: 'notifications/cancelled', params: [1] },
    { method: 'notifications/cancelled', params: 'x' },
    { method: 'notifications/unknown', params: null },
  ]) {
    it.send({ jsonrpc: '2.0', ...message });
  }
  assert.deepEqual((await it.request('ping')).result, {});
  assert.deepEqual(await it.remaining(), []);
  assert.deepEqual(seen.ran, []);
});

test('[A-28] an id that is in use is refused, and the first request keeps it', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  it.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: claimed({ name: 'wait', arguments: { ms: 30 } }) });
  it.send({
    jsonrpc: '2.0',
    id: '1',
    method: 'tools/call',
    params: claimed({ name: 'add', arguments: { a: 1, b: 2 } }),
  });
  const second = await it.request('tools/call', claimed({ name: 'add', arguments: { a: 1, b: 2 } }), 1);
  assert.equal(second.error?.code, -32600);
  assert.match(second.error!.message, /in use/);
  assert.equal((await it.next(({ id }) => id === '1')).result?.['content'][0].text, '3', 'the text "1" is another id');
  assert.equal((await it.next(({ id }) => id === 1)).result?.['content'][0].text, 'waited');
  assert.deepEqual(seen.ran, ['add']);
  assert.ok((await it.request('server/discover', claimed(), 1)).result, 'once answered, the id may be used again');
});

test('[A-28] a cancellation of an id that was used twice applies to the first request', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  it.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: claimed({ name: 'slow' }) });
  await until(() => seen.ran.length > 0);
  assert.equal((await it.request('tools/list', claimed(), 1)).error?.code, -32600);
  it.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
  assert.deepEqual(await it.remaining(), []);
  assert.deepEqual(seen.aborted, ['enough']);
});

test('[A-28] the id of an open subscription is in use', async (t) => {
  const it = dialog(t, makeApp(), { except: /"id":"sub","result"/ });
  it.send({
    jsonrpc: '2.0',
    id: 'sub',
    method: 'subscriptions/listen',
    params: claimed({ notifications: { toolsListChanged: true } }),
  });
  await it.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  assert.equal((await it.request('server/discover', claimed(), 'sub')).error?.code, -32600);
});

test('[A-25] member names are compared exactly: similar ones are ignored', async (t) => {
  const seen = newSeen();
  const it = dialog(t, makeApp(seen));
  const call = JSON.stringify(claimed({ name: 'add', arguments: { a: 1, b: 2 } }));
  const listed = await (it.send(
    `{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"tools/list","Params":${call},"params":${JSON.stringify(claimed())}}`,
  ),
  it.next());
  assert.ok(Array.isArray(listed.result?.['tools']), 'only the exact member counts');
  for (const [what, text] of [
    ['METHOD', `{"jsonrpc":"2.0","id":2,"METHOD":"tools/call","params":${call}}`],
    ['method with a NUL', `{"jsonrpc":"2.0","id":2,"method\\u0000":"tools/call","params":${call}}`],
    ['method with a combining dot', `{"jsonrpc":"2.0","id":2,"method\\u0307":"tools/call","params":${call}}`],
    ['Jsonrpc', `{"Jsonrpc":"2.0","id":2,"method":"tools/call","params":${call}}`],
  ] as const) {
    it.send(text);
    const answer = await it.next();
    assert.equal(answer.error?.code, -32600, what);
    assert.equal(answer.id, 2, what);
  }
  it.send(`{"jsonrpc":"2.0","ID":3,"method":"tools/call","params":${call}}`);
  it.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","param\\u017f":${call}}`);
  const withoutParams = await it.next();
  assert.equal(withoutParams.id, 4);
  assert.equal(withoutParams.error?.code, -32602, 'a long s is not an s');
  assert.deepEqual(await it.remaining(), []);
  assert.deepEqual(seen.ran, []);
});

test('[A-26] names of the prototype are ordinary names', async (t) => {
  const it = dialog(t, makeApp());
  const call = (name: string, args?: string) => {
    it.send(
      `{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":${JSON.stringify(name)}${args === undefined ? '' : `,"arguments":${args}`},${JSON.stringify(claimed()).slice(1)}}`,
    );
    return it.next(({ id }) => id === 'call');
  };
  assert.equal((await call('constructor')).result?.['content'][0].text, 'a tool named constructor');
  const poison = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
  for (const name of ['echo', '__proto__']) {
    const { result } = await call(name, poison);
    assert.equal(JSON.stringify(result?.['structuredContent']), poison, 'the value comes back as it was');
  }
  for (const name of ['toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf', '__defineGetter__', 'prototype']) {
    assert.equal((await call(name)).error?.code, -32602, name);
    assert.equal((await it.request('prompts/get', claimed({ name }))).error?.code, -32602, name);
    assert.equal((await it.request('resources/read', claimed({ uri: name }))).error?.code, -32602, name);
    assert.equal((await it.request(name, claimed())).error?.code, -32601, name);
    assert.equal(
      (
        await it.request(
          'completion/complete',
          claimed({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name, value: '' } }),
        )
      ).error?.code,
      -32602,
      name,
    );
  }
  assert.equal((await it.request('__proto__', claimed())).error?.code, -32601);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test('[A-26] a client cannot claim capabilities under the name of the prototype', async (t) => {
  const it = dialog(t, makeApp());
  for (const capabilities of [
    '{"__proto__":{"elicitation":{},"sampling":{},"roots":{}}}',
    '{"roots":null,"__proto__":{"elicitation":{},"sampling":{},"roots":{}}}',
  ]) {
    it.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"can","_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":${capabilities}}}}`,
    );
    assert.deepEqual((await it.next()).result?.['structuredContent'], { name: null, can: [] });
  }
});

/** A-30: what is sent, and the response: a code and an id, or nothing. */
const MALFORMED: readonly (readonly [text: string, code: number | undefined, id?: string | number])[] = [
  ['', -32700],
  [' ', -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}}', -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping",}', -32700],
  ['{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"} // comment', -32700],
  ["{'jsonrpc':'2.0','id':1,'method':'ping'}", -32700],
  ['\u0000', -32700],
  ['\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
  ['undefined', -32700],
  ['null', -32600],
  ['"x"', -32600],
  ['1', -32600],
  ['true', -32600],
  ['{}', -32600],
  ['[]', -32600],
  ['{"id":1}', -32600, 1],
  ['{"id":1,"method":"ping"}', -32600, 1],
  ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
  ['{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":1}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":null}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":["ping"]}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', -32600, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":""}}', -32600, 1],
  ['{"jsonrpc":"2.0","method":1}', -32600],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":[]}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":"x"}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"greet","arguments":[]}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"greet","arguments":{"name":1}}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":{}}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"completion/complete"}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":"x","argument":{}}}', -32602, 1],
  [
    '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"x"},"argument":{"name":"a","value":""}}}',
    -32602,
    1,
  ],
  ['{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601, 1],
  ['{"jsonrpc":"2.0","id":1,"method":""}', -32601, 1],
  ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}', undefined],
  ['{"jsonrpc":"2.0","error":{"code":-32600,"message":"what?"}}', undefined],
];

test('[BASE-9] [A-30] malformed input is answered or ignored by the rules, and the next request works', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-11-25');
  for (const [text, code, id] of MALFORMED) {
    it.send(text);
    if (code !== undefined) {
      const answer = await it.next();
      assert.deepEqual([answer.error?.code, answer.id], [code, id], text);
    }
    assert.deepEqual((await it.request('ping', undefined, 'alive')).result, {}, text);
  }
  assert.deepEqual(await it.remaining(), []);
});

const asAnswers = [
  ['two outcomes', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}'],
  ['a result that is not an object', '{"jsonrpc":"2.0","id":1,"result":[]}'],
  ['an invalid error', '{"jsonrpc":"2.0","id":1,"error":"x"}'],
  ['a code that is not an integer', '{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}'],
  ['a result without an id', '{"jsonrpc":"2.0","result":{}}'],
  ['an invalid id', '{"jsonrpc":"2.0","id":true,"error":{"code":1,"message":""}}'],
] as const;
for (const [what, text] of asAnswers) {
  test(`[A-27, A-29] a response with ${what} is refused without the id, which is not one of the client's`, async (t) => {
    const it = dialog(t, makeApp());
    // The client's own request 1 is running: an error with the id 1 would look like its response.
    it.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: claimed({ name: 'wait', arguments: { ms: 20 } }) });
    it.send(text);
    const refusal = await it.next();
    assert.equal(refusal.error?.code, -32600);
    assert.ok(!('id' in refusal), JSON.stringify(refusal));
    assert.equal((await it.next()).result?.['content'][0].text, 'waited');
    assert.deepEqual(await it.remaining(), []);
  });
}

test('[A-29] a malformed response to a question of the server ends the question, not the server', async (t) => {
  const it = dialog(t, makeApp());
  await it.handshake('2025-11-25', { elicitation: {} });
  it.send({ jsonrpc: '2.0', id: 'call', method: 'tools/call', params: { name: 'ask' } });
  const question = await it.next(({ method }) => method === 'elicitation/create');
  it.send({ jsonrpc: '2.0', id: question.id, result: 'blue' });
  const answers = [await it.next(), await it.next()];
  const call = answers.find(({ id }) => id === 'call') as Message;
  assert.equal(call.result?.['isError'], true);
  assert.match(call.result?.['content'][0].text, /did not answer 'color'/);
  assert.equal(answers.find(({ id }) => id === undefined)?.error?.code, -32600);
});

test('error messages contain nothing of the input but a short name with escaped control characters', async (t) => {
  const it = dialog(t, makeApp());
  const { error } = await it.request('\u001b[31mred\u202e' + 'x'.repeat(5_000), claimed());
  assert.ok(error!.message.length < 200);
  assert.doesNotMatch(error!.message, /[\u0000-\u001f\u202e]/);
  it.send('{"secret":"hunter2"');
  assert.doesNotMatch((await it.next()).error!.message, /hunter2/);
  assert.ok((await it.request(discover.method, discover.params)).result);
});
