// The modern era over HTTP, as bytes on a socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { seededRandom } from '../../../../scripts/lib/seeded-random.ts';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { server, tool } from '../../src/entries/index.ts';
import { makeApp } from './app.ts';
import { live, raw, send, until } from './send.ts';
import { fieldsOf, JSON_FIELDS, modernBody, stage, claim, initializeBody } from './stage.ts';

const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 'a client', version: '1' } };

const s = await stage();
function text(answer: { json: any }): unknown {
  return answer.json.result?.content?.[0]?.text;
}

test('[HTTP-1, HTTP-14] a request is answered with one JSON object if nothing has to be sent before', async () => {
  const answer = await s.call('echo', { v: [1, 'zwei', null] });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(text(answer), '[1,"zwei",null]');
  assert.equal(answer.headers['mcp-session-id'], undefined);
});

test('[SSE-30, SSE-32, SSE-33, HTTP-14] notifications that were requested before the result make the response a stream, which the result ends', async () => {
  const answer = await s.call('steps', { n: 3 }, {}, { progressToken: 'p' });
  assert.equal(answer.headers['content-type'], 'text/event-stream');
  assert.equal(answer.headers['x-accel-buffering'], 'no');
  assert.match(answer.headers['cache-control']!, /no-cache/);
  assert.deepEqual(
    answer.messages.map((message) => message.params?.progress ?? message.result.content[0].text),
    [1, 2, 3, '3 steps'],
  );
  for (const message of answer.messages.slice(0, -1)) assert.equal(message.params.progressToken, 'p');
  assert.ok(
    answer.events.every(({ id }) => id === ''),
    'there are no event ids in this era',
  );
});

test('progress without a token, and a log message below the level, do not make a stream', async () => {
  assert.equal((await s.call('steps', { n: 3 })).headers['content-type'], 'application/json');
  assert.equal((await s.call('say', { level: 'info' })).headers['content-type'], 'application/json');
  const level = { 'io.modelcontextprotocol/logLevel': 'info' };
  assert.equal((await s.call('say', { level: 'debug' }, {}, level)).headers['content-type'], 'application/json');
  assert.equal((await s.call('say', { level: 'error' }, {}, level)).messages.length, 2);
});

test('a client that does not accept streams gets only the result', async () => {
  const answer = await s.call('steps', { n: 3 }, { accept: 'application/json' }, { progressToken: 1 });
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(text(answer), '3 steps');
});

test('[HTTP-12] a notification is accepted without a body, and a cancellation sent in one has no effect', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  const answer = await send(s.url, 'POST', { ...JSON_FIELDS, 'mcp-protocol-version': '2026-07-28' }, body);
  assert.deepEqual([answer.status, answer.text], [202, '']);
});

test('[HTTP-65] GET and DELETE are not allowed if only the modern era is supported, and the response lists the allowed methods', async () => {
  const only = await stage({ revisions: ['2026-07-28'] });
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await send(only.url, method, { accept: 'text/event-stream' });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers['allow'], 'POST');
  }
  const greeted = await send(only.url, 'POST', JSON_FIELDS, initializeBody('2025-11-25'));
  assert.equal(greeted.status, 400);
  assert.deepEqual(
    [greeted.json.error.code, greeted.json.error.data],
    [-32022, { supported: ['2026-07-28'], requested: '2025-11-25' }],
  );
  const claimless = await send(only.url, 'POST', JSON_FIELDS, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  assert.deepEqual([claimless.status, claimless.json.error.code], [400, -32020], '[HTTP-23]');
});

test('[HTTP-66, HTTP-67, SSE-27] [F-52] a session id and a last event id are ignored, and none is issued', async () => {
  const answer = await s.call('echo', { v: 1 }, { 'mcp-session-id': 'made-up', 'last-event-id': 'call-1_2' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['mcp-session-id'], undefined);
});

test('[HTTP-19, HTTP-20, HTTP-21, HTTP-32] [A-50] versions and methods are checked, each with its status', async () => {
  const post = (fields: object, body: string) => send(s.url, 'POST', { ...fieldsOf('tools/list'), ...fields }, body);
  const old = { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' };
  const cases: [object, string, number, number][] = [
    [{}, modernBody('tools/list', {}, old), 400, -32020],
    [{ 'mcp-protocol-version': '2025-11-25' }, modernBody('tools/list'), 400, -32020],
    [
      { 'mcp-protocol-version': '1900-01-01' },
      modernBody('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }),
      400,
      -32022,
    ],
    [{}, '{"jsonrpc":"2.0","id":5,"method":"tools/list"}', 400, -32602],
    [{ 'mcp-method': 'no/such' }, modernBody('no/such'), 404, -32601],
    [{ 'mcp-method': 'initialize' }, modernBody('initialize'), 404, -32601],
    [{ 'mcp-method': 'ping' }, modernBody('ping'), 404, -32601],
    [{ 'mcp-method': 'logging/setLevel' }, modernBody('logging/setLevel', { level: 'info' }), 404, -32601],
  ];
  for (const [fields, body, status, code] of cases) {
    const answer = await post(fields, body);
    assert.deepEqual([answer.status, answer.json.error.code], [status, code], body);
    assert.notEqual(answer.json.id, undefined, 'the id is repeated');
  }
  const unknown = await post(cases[2]![0], cases[2]![1]);
  assert.deepEqual(unknown.json.error.data, { supported: ['2026-07-28'], requested: '1900-01-01' });
  assert.match(unknown.json.error.message, /supported: 2026-07-28; after "initialize": 2025-11-25, .*2024-11-05$/);
});

test('[HTTP-31, HTTP-33, HTTP-37] [A-48, A-49, A-32] a header that contradicts the body is refused, and nothing runs', async () => {
  const before = s.count('echo');
  const call = (fields: object) => s.modern('tools/call', { name: 'echo', arguments: { v: 1 } }, fields as never);
  for (const fields of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-method': 'TOOLS/CALL' },
    { 'mcp-name': 'add' },
    { 'mcp-name': 'Echo' },
    { 'mcp-name': '=?base64?!!!?=' },
    { 'mcp-protocol-version': '2025-03-26' },
  ]) {
    const answer = await call(fields);
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32020], JSON.stringify(fields));
  }
  for (const missing of ['mcp-method', 'mcp-name', 'mcp-protocol-version']) {
    const fields: Record<string, any> = { ...fieldsOf('tools/call', 'echo') };
    delete fields[missing];
    const answer = await send(s.url, 'POST', fields, modernBody('tools/call', { name: 'echo', arguments: { v: 1 } }));
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32020], missing);
  }
  assert.equal(s.count('echo'), before);
  const right = await call({ 'mcp-name': `=?base64?${Buffer.from('echo').toString('base64')}?=` });
  assert.equal(right.status, 200);
});

test('a legacy body with a wrong name in its header is refused, and nothing runs', async () => {
  const session = await s.session('2025-11-25');
  const before = s.count('echo');
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { v: 1 } } };
  const answer = await session.post(body, { 'mcp-name': 'safe_tool' });
  assert.deepEqual([answer.status, answer.json.error.code, s.count('echo')], [400, -32020, before]);
});

test('[HTTP-36, HTTP-55, HTTP-56, HTTP-57, HTTP-58] mirrored arguments must be in their headers, with the same values', async () => {
  const call = (args: object, fields: object = {}) =>
    s.modern('tools/call', { name: 'route', arguments: args }, fields as never);
  const before = s.count('route');
  for (const [args, fields] of [
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?@@?=' }],
    [{ region: 'é' }, { 'mcp-param-region': Buffer.from('é').toString('latin1') }],
    [{}, { 'mcp-param-region': 'eu' }],
    [{ count: 42 }, { 'mcp-param-count': '43' }],
    [{ dry: true }, { 'mcp-param-dry': 'True' }],
  ] as [object, object][]) {
    const answer = await call(args, fields);
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32020], JSON.stringify([args, fields]));
  }
  assert.equal(s.count('route'), before);
  for (const [args, fields] of [
    [{ q: 'x' }, {}],
    [{ region: null }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': ' eu ' }],
    [{ region: 'é\n' }, { 'mcp-param-region': `=?base64?${Buffer.from('é\n').toString('base64')}?=` }],
    [{ count: 42 }, { 'mcp-param-count': '42.0' }],
    [{ dry: false }, { 'mcp-param-dry': 'false', 'mcp-param-other': 'ignored' }],
  ] as [object, object][])
    assert.equal((await call(args, fields)).status, 200, JSON.stringify([args, fields]));
});

test('a member that a header repeats must occur once in the body, or nothing runs', async () => {
  const before = [s.count('echo'), s.count('route')];
  const echo = modernBody('tools/call', { name: 'echo', arguments: { v: 1 } }, CLIENT);
  const route = modernBody('tools/call', { name: 'route', arguments: { region: 'eu', q: 'x' } }, CLIENT);
  const read = modernBody('resources/read', { uri: 'note://a' });
  const meta = echo.slice(echo.indexOf('"_meta"'), -2);
  const twice: readonly [method: string, name: string, body: string, member: string][] = [
    ['tools/call', 'echo', echo.replace('"method"', '"method":"tools/list","method"'), 'method'],
    ['tools/call', 'echo', echo.replace('"method"', '"m\\u0065thod":"tools/list","method"'), 'method'],
    ['tools/call', 'echo', echo.replace('"params"', '"params":{},"params"'), 'params'],
    ['tools/call', 'echo', echo.replace('"name"', '"name":"boom","name"'), 'name'],
    ['tools/call', 'echo', echo.replace('"name"', '"n\\u0061me":"boom","name"'), 'name'],
    ['tools/call', 'echo', echo.replace('"_meta"', `"_meta":{},"_meta"`), '_meta'],
    ['tools/call', 'echo', echo.replace('"params":{', `"params":{${meta},`), '_meta'],
    [
      'tools/call',
      'echo',
      echo.replace('"_meta":{', '"_meta":{"io.modelcontextprotocol\\/protocolVersion":"2025-11-25",'),
      'io.modelcontextprotocol/protocolVersion',
    ],
    ['resources/read', 'note://a', read.replace('"uri"', '"uri":"note://b","uri"'), 'uri'],
    ['tools/call', 'route', route.replace('"region"', '"region":"us","region"'), 'region'],
    ['tools/call', 'route', route.replace('"arguments"', '"arguments":{},"arguments"'), 'arguments'],
  ];
  for (const [method, name, body, member] of twice) {
    const answer = await send(s.url, 'POST', fieldsOf(method, name, { 'mcp-param-region': 'eu' }), body);
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32600], body);
    assert.ok(answer.json.error.message.includes(`'${member}'`), answer.json.error.message);
  }
  assert.deepEqual([s.count('echo'), s.count('route')], before);
  // The same names in other places, and members that no header repeats.
  for (const [name, body] of [
    ['echo', echo.replace('"v":1', '"v":{"name":"a","name":"b","method":"c","_meta":{},"params":{}}')],
    ['echo', echo.replace('"v":1', '"v":1,"v":2')],
    ['echo', echo.replace('"arguments"', '"arguments":{},"arguments"')],
    ['route', route.replace('"q"', '"q":"y","q"')],
  ] as const)
    assert.equal(
      (await send(s.url, 'POST', fieldsOf('tools/call', name, { 'mcp-param-region': 'eu' }), body)).status,
      200,
      body,
    );
});

test('a member that a header repeats must occur once in a legacy body, in every revision', async () => {
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const) {
    const session = await s.session(revision);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"boom","name":"echo","arguments":{"v":1}}}';
    const call = (more: object) => send(s.url, 'POST', { ...session.fields, ...more } as never, body);
    assert.equal((await call({})).status, 200);
    const refused = await call({ 'mcp-name': 'echo' });
    assert.deepEqual([refused.status, refused.json.error.code], [400, -32600]);
  }
});

test('[SSE-36, SSE-37, SSE-38] [F-20] a client that closes its connection cancels the call', async () => {
  const before = s.count('gate-aborted');
  const call = live(
    s.url,
    'POST',
    fieldsOf('tools/call', 'gate'),
    modernBody('tools/call', { name: 'gate', arguments: { name: 'drop', progress: 1 } }, { progressToken: 1 }),
  );
  await call.next(({ method }) => method === 'notifications/progress');
  call.drop();
  await until(() => s.count('gate-aborted') === before + 1);
  await s.checkWorks();
});

test('errors that concern the call have status 200, those that concern the request have an error status', async () => {
  const unknown = await s.modern('tools/call', { name: 'nope', arguments: {} });
  assert.deepEqual([unknown.status, unknown.json.error.code], [200, -32602]);
  const missing = await s.modern('resources/read', { uri: 'note://none' });
  assert.deepEqual(
    [missing.status, missing.json.error.code, missing.json.error.data],
    [200, -32602, { uri: 'note://none' }],
  );
  const no = await s.call('ask', {}, {}, { 'io.modelcontextprotocol/clientCapabilities': {} });
  assert.deepEqual(
    [no.status, no.json.error.code, no.json.error.data],
    [400, -32021, { requiredCapabilities: { elicitation: { form: {} } } }],
  );
});

test('[A-33] an exception is only visible in the log', async () => {
  const answer = await s.call('boom');
  assert.equal(answer.json.result.isError, true);
  assert.equal(answer.text.includes('SECRETPW'), false);
  assert.equal(
    JSON.stringify(s.log.find(({ event }) => event === 'handler-failed')?.message).includes('SECRETPW'),
    false,
  );
});

test('[BASE-42, BASE-46] a request without its claim, or without a capability that the tool needs, has status 400', async () => {
  const bare = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const unclaimed = await send(s.url, 'POST', fieldsOf('tools/list'), bare);
  assert.deepEqual([unclaimed.status, unclaimed.json.error.code], [400, -32602]);
  for (const missing of ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities']) {
    const answer = await s.modern('tools/list', {}, {}, { [missing]: undefined });
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32602], missing);
  }
  const unable = await s.call('ask', {}, {}, { 'io.modelcontextprotocol/clientCapabilities': {} });
  assert.deepEqual([unable.status, unable.json.error.code], [400, -32021]);
  assert.deepEqual(unable.json.error.data.requiredCapabilities, { elicitation: { form: {} } });
});

test('[SSE-31] a stream never carries a request: a question is part of the result', async () => {
  const answer = await s.call('ask', {}, {}, { progressToken: 1 });
  const messages = [...answer.messages];
  const told = await s.call('steps', { n: 3 }, {}, { progressToken: 2 });
  messages.push(...told.messages);
  assert.equal(answer.json.result.resultType, 'input_required');
  assert.ok(messages.length >= 5);
  assert.ok(messages.every((message) => message.method === undefined || message.id === undefined));
});

test('[MRTR-1] a question is answered in a second request, on any connection', async () => {
  const asked = await s.call('ask');
  assert.equal(asked.json.result.resultType, 'input_required');
  const { requestState } = asked.json.result;
  const params = {
    name: 'ask',
    arguments: {},
    requestState,
    inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
  };
  assert.equal(text(await s.modern('tools/call', params)), 'Hello, Ann');
  // Tampered with, or for another call.
  for (const other of [
    { ...params, requestState: `${requestState.slice(0, -2)}AA` },
    { ...params, requestState: `${requestState}-TAMPERED` },
    { ...params, arguments: { topic: 'other' } },
    { ...params, name: 'gate', arguments: { name: 'x' } },
  ]) {
    const refused = await s.modern('tools/call', other);
    assert.equal(refused.json.error?.code, -32602, JSON.stringify(other).slice(0, 80));
  }
});

test('[A-12, HTTP-14] equal ids of two clients are kept apart, whatever the order in which their calls end', async () => {
  const random = seededRandom(12);
  /** The call that came first, of two with the same id. */
  const first = new Map<string, () => void>();
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      // The calls of both clients run until each of the two has begun.
      tagged: tool({ input: z.object({ tag: z.string(), pair: z.string() }) }, async ({ tag, pair }) => {
        const endFirst = first.get(pair);
        if (endFirst === undefined) await new Promise<void>((resolve) => first.set(pair, resolve));
        else {
          endFirst();
          await new Promise((resolve) => setTimeout(resolve, random() < 0.5 ? 0 : 5));
        }
        return tag;
      }),
    },
  });
  const { url } = await stage({}, { ...makeApp(), app: app as never });
  const [ids, atOnce] = [rounds(200, 1_000), 100];
  for (let round = 0; round < rounds(1, 50); round++)
    for (let from = 0; from < ids; from += atOnce) {
      const calls = ['alice', 'bob'].flatMap((who) =>
        Array.from({ length: atOnce }, (_, n) => [who, from + n] as const),
      );
      await Promise.all(
        calls.map(async ([who, id]) => {
          const pair = `${round} ${id}`;
          const params = { name: 'tagged', arguments: { tag: `${who} ${pair}`, pair } };
          const body = modernBody('tools/call', params, {}, id);
          const answer = await send(url, 'POST', fieldsOf('tools/call', 'tagged'), body);
          assert.deepEqual([answer.json.id, answer.json.error], [id, undefined]);
          assert.equal(text(answer), `${who} ${pair}`);
        }),
      );
    }
});

test('[A-30] malformed input is refused with the reason', async () => {
  const post = (body: string) => send(s.url, 'POST', fieldsOf('tools/call', 'echo'), body);
  for (const [body, code] of [
    ['', -32700],
    ['{', -32700],
    ['{}}', -32700],
    ['NaN', -32700],
    ['// no', -32700],
    ['null', -32600],
    ['"x"', -32600],
    ['5', -32600],
    ['{}', -32600],
    ['[]', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
    [JSON.stringify([JSON.parse(modernBody('tools/list'))]), -32600],
  ] as [string, number][]) {
    const answer = await post(body);
    assert.deepEqual([answer.status, answer.json.error.code], [400, code], body);
    assert.equal('id' in answer.json && answer.json.id === null, false, 'no id is null');
  }
  // Invalid ids.
  for (const id of ['null', 'true', '{}', '[]', '1.5', '9007199254740993']) {
    const answer = await post(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"_meta":${JSON.stringify(claim())}}}`,
    );
    assert.deepEqual([answer.status, answer.json.error.code, 'id' in answer.json], [400, -32600, false], id);
  }
  await s.checkWorks();
});

test('[A-25] misspelt members are ignored', async () => {
  const before = s.count('echo');
  const meta = JSON.stringify(claim());
  for (const body of [
    `{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"_meta":${meta}}}`,
    `{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call","params":{"_meta":${meta}}}`,
  ])
    assert.equal((await send(s.url, 'POST', fieldsOf('tools/call', 'echo'), body)).status, 400);
  const both = await send(
    s.url,
    'POST',
    fieldsOf('tools/list'),
    `{"jsonrpc":"2.0","id":1,"Method":"tools/call","method":"tools/list","params":{"name":"echo","_meta":${meta}}}`,
  );
  assert.ok(Array.isArray(both.json.result.tools));
  assert.equal(s.count('echo'), before);
});

test('[A-26] members named like those of every object stay data', async () => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"v":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}},"_meta":${JSON.stringify(claim())}}}`;
  const answer = await send(s.url, 'POST', fieldsOf('tools/call', 'echo'), body);
  assert.equal(answer.status, 200);
  assert.equal(({} as any).polluted, undefined);
});

test('[HTTP-37] a raw request with names of headers in any case is served', async () => {
  const body = modernBody('tools/call', { name: 'echo', arguments: { v: 'raw' } });
  const answer = await raw(
    s.port,
    `POST /mcp HTTP/1.1\r\nhost: localhost:${s.port}\r\nCONTENT-TYPE: Application/JSON; charset=utf-8\r\nACCEPT: application/json, text/event-stream\r\nMCP-PROTOCOL-VERSION: 2026-07-28\r\nmCp-MeThOd: tools/call\r\nMCP-NAME:   echo  \r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /\\"raw\\"/);
});

test('[HTTP-31] a header that is sent twice has none of its values', async () => {
  const body = modernBody('tools/call', { name: 'echo', arguments: { v: 'raw' } });
  const answer = await raw(
    s.port,
    `POST /mcp HTTP/1.1\r\nhost: localhost:${s.port}\r\ncontent-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: echo\r\nmcp-name: echo\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(answer, /-32020/);
});
