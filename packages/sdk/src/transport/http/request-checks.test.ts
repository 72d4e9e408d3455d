import assert from 'node:assert/strict';
import { test } from 'node:test';
import { META } from '../../protocol/meta.ts';
import { MODERN } from '../../protocol/revision.ts';
import { mirroredParams } from '../../wire/param-headers.ts';
import {
  claim,
  DUAL,
  echo,
  initialize,
  legacy,
  LEGACY_ONLY,
  modern,
  MODERN_ONLY,
  NOTHING,
  ping,
  post,
  refused,
  response,
  type Sent,
  SESSIONLESS,
  V03,
  VERSION,
} from './fixtures/checked.ts';
import { answerOptions } from './cors.ts';
import { refuseToolCall } from './run-checks.ts';
import type { HttpRules, Stage } from './request-check.ts';
import { CHECKS } from './request-checks.ts';

/** A request that a check refuses, and the response. With `id`, the response repeats it; `rules` replace those of the server. */
interface Row {
  readonly order: string;
  readonly what: string;
  readonly sent: Sent;
  readonly status: number;
  readonly code: number;
  readonly id?: unknown;
  readonly rules?: HttpRules;
}

function row(
  order: string,
  status: number,
  code: number,
  what: string,
  sent: Sent,
  more: Pick<Row, 'id' | 'rules'> = {},
): Row {
  return { order, status, code, what, sent, ...more };
}
const DEEP = `${'['.repeat(200)}${']'.repeat(200)}`;

const ROWS: readonly Row[] = [
  row('0', 400, -32020, 'two names', { ...echo(), repeated: 'mcp-name' }),
  row('0', 400, -32600, 'two tokens that were joined', echo({ headers: { Authorization: 'Bearer a, Bearer b' } })),
  row(
    '5a',
    415,
    -32600,
    'two content types',
    echo({ headers: { 'Content-Type': 'application/json; a="1,2", text/plain' } }),
  ),
  row('1a', 403, -32600, 'a foreign host', { ...echo(), host: 'evil.example' }),
  row('1a', 403, -32600, 'a foreign origin', echo({ headers: { Origin: 'http://evil.example' } })),
  row('1a', 403, -32600, 'the origin null', echo({ headers: { Origin: 'null' } })),
  row('1a', 403, -32600, 'host and origin that agree', {
    ...echo({ headers: { Origin: 'http://evil.example:3000' } }),
    host: 'evil.example:3000',
  }),
  ...['GET', 'DELETE', 'PUT', 'OPTIONS', 'PATCH', 'HEAD'].map((method) =>
    row('1a', 403, -32600, `a foreign host, ${method}`, { method, host: 'evil.example', path: '/anything' }),
  ),
  ...['/', '/mcp/', '//mcp', '/MCP', '/mcp;a=1', '/mcp%2f', '/sse', ''].map((path) =>
    row('1b', 404, -32600, `the path ${path}`, { ...echo(), path }),
  ),
  ...['PUT', 'PATCH', 'HEAD', 'TRACE', 'get'].map((method) => row('4a', 405, -32600, method, { method })),
  row('4a', 405, -32600, 'a GET where there are no sessions', { method: 'GET' }, { rules: MODERN_ONLY }),
  row(
    '4a',
    405,
    -32600,
    'a DELETE where there are no sessions',
    { method: 'DELETE', headers: { 'Mcp-Session-Id': 's-2025-11-25' } },
    { rules: SESSIONLESS },
  ),
  row('4b', 406, -32600, 'a GET that takes no stream', {
    method: 'GET',
    headers: { accept: 'application/json', 'Mcp-Session-Id': 's-2025-11-25' },
  }),
  row('4c', 400, -32600, 'a GET without a session', { method: 'GET' }),
  row('4c', 400, -32600, 'a DELETE without a session', { method: 'DELETE', headers: { 'Mcp-Session-Id': '' } }),
  row('4c', 404, -32600, 'a GET for a session that is gone', { method: 'GET', headers: { 'Mcp-Session-Id': 'gone' } }),
  row('4c', 404, -32600, 'a DELETE for a session that is gone', {
    method: 'DELETE',
    headers: { 'Mcp-Session-Id': 'gone' },
  }),
  row('4c', 503, -32603, 'a GET for a session that cannot be read', {
    method: 'GET',
    headers: { 'Mcp-Session-Id': 'unavailable' },
  }),
  row('4d', 400, -32600, 'a GET in no known version', {
    method: 'GET',
    headers: { 'Mcp-Session-Id': 's-2025-11-25', 'MCP-Protocol-Version': '1.0' },
  }),
  ...[
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json, text/plain',
    'text/plain; application/json',
  ].map((type) => row('5a', 415, -32600, `the type ${type}`, echo({ headers: { 'content-type': type } }))),
  row('5b', 415, -32600, 'a compressed body', echo({ headers: { 'content-encoding': 'gzip' } })),
  row('5c', 406, -32600, 'a client that accepts neither kind of response', echo({ headers: { accept: 'text/html' } })),
  row(
    '6a',
    413,
    -32600,
    'a body whose announced size is too large',
    echo({ headers: { 'content-length': '4194305' } }),
  ),
  row('6b', 413, -32600, 'a body that is too large', { ...echo(), oversize: true }),
  ...['', '{', '{}}', 'NaN', '{"a":1 /* */}', '{"jsonrpc":"2.0",'].map((body) =>
    row('6c', 400, -32700, `no JSON: ${body}`, post(body)),
  ),
  row('6c', 400, -32600, 'JSON that is nested too deep', post(DEEP)),
  row('7a', 400, -32600, 'a batch of today', post([ping, ping], { 'MCP-Protocol-Version': VERSION })),
  ...['2025-11-25', '2025-06-18', '2024-11-05'].map((revision) =>
    row(
      '7a',
      400,
      -32600,
      `a batch in a session of ${revision}`,
      post([ping, ping], { 'Mcp-Session-Id': `s-${revision}` }),
    ),
  ),
  row(
    '7a',
    400,
    -32600,
    'a batch in a session of 2025-11-25 that names another version',
    post([ping], { 'Mcp-Session-Id': 's-2025-11-25', 'MCP-Protocol-Version': V03 }),
  ),
  row(
    '7a',
    400,
    -32600,
    'a batch that names a version without batches',
    post([ping], { 'MCP-Protocol-Version': '2025-06-18' }),
    { rules: SESSIONLESS },
  ),
  row('7a', 400, -32600, 'a batch for a server without that era', post([ping]), { rules: MODERN_ONLY }),
  row('7a', 400, -32600, 'an empty batch', post([], { 'Mcp-Session-Id': `s-${V03}` })),
  row(
    '7a',
    400,
    -32600,
    'a batch of 101',
    post(
      Array.from({ length: 101 }, () => ping),
      { 'Mcp-Session-Id': `s-${V03}` },
    ),
  ),
  row('7a', 400, -32600, 'a batch with initialize', post([initialize().body], { 'Mcp-Session-Id': `s-${V03}` })),
  row('7a', 400, -32600, 'a batch with a modern request', post([ping, echo().body], { 'Mcp-Session-Id': `s-${V03}` })),
  ...[
    null,
    '"x"',
    5,
    true,
    {},
    { ...ping, id: null },
    { ...ping, id: true },
    { ...ping, id: {} },
    { ...ping, id: [] },
  ].map((body) => row('7b', 400, -32600, `no message: ${JSON.stringify(body)}`, post(body))),
  ...[1.5, 2 ** 53, -1e300].map((id) => row('7b', 400, -32600, `the id ${id}`, post({ ...ping, id }))),
  row('7b', 400, -32600, 'a message of another JSON-RPC', post({ ...ping, jsonrpc: '1.0' }), { id: 1 }),
  row('7b', 400, -32600, 'a message whose params are a list', post({ ...ping, params: [] }), { id: 1 }),
  row('7b', 400, -32600, 'a method in capitals', post({ jsonrpc: '2.0', id: 1, METHOD: 'tools/call' }), { id: 1 }),
  row('7b', 400, -32600, 'a method with NUL', post({ jsonrpc: '2.0', id: 1, 'method\u0000': 'tools/call' }), { id: 1 }),
  row(
    '7b',
    400,
    -32600,
    'an invalid response',
    post({ jsonrpc: '2.0', id: 1, result: {}, error: {} }, { 'Mcp-Session-Id': 's-2025-11-25' }),
  ),
  row(
    '7d',
    400,
    -32600,
    'a repeated name that is mirrored in a header',
    post('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}', { 'Mcp-Name': 'b' }),
    { id: 7 },
  ),
  row('7c', 400, -32600, 'a response outside of a session', response()),
  row('7c', 400, -32600, 'a response of today', response({ 'MCP-Protocol-Version': VERSION })),
  row('7c', 400, -32600, 'a response to a server without sessions', response({ 'Mcp-Session-Id': 's-2025-11-25' }), {
    rules: SESSIONLESS,
  }),
  row('7c', 400, -32600, 'a response to a server without that era', response({ 'Mcp-Session-Id': 's-2025-11-25' }), {
    rules: MODERN_ONLY,
  }),
  row('8m', 400, -32022, 'initialize on a modern-only server', initialize(), { id: 1, rules: MODERN_ONLY }),
  row(
    '8m',
    400,
    -32022,
    'initialize with a version header on a modern-only server',
    initialize({ 'MCP-Protocol-Version': VERSION }),
    { id: 1, rules: MODERN_ONLY },
  ),
  row(
    '9m',
    400,
    -32020,
    'a claim without the version header',
    echo({ headers: { 'MCP-Protocol-Version': undefined } }),
    { id: 7 },
  ),
  row(
    '9m',
    400,
    -32020,
    'no version at all, where that means nothing',
    echo({ meta: NOTHING, headers: { 'MCP-Protocol-Version': undefined } }),
    { id: 7, rules: MODERN_ONLY },
  ),
  row(
    '9m',
    400,
    -32020,
    'a notification without the version header',
    modern('notifications/x', { id: NOTHING, headers: { 'MCP-Protocol-Version': undefined } }),
  ),
  row('10m', 400, -32020, 'header and claim of two eras', echo({ headers: { 'MCP-Protocol-Version': '2025-03-26' } }), {
    id: 7,
  }),
  row(
    '10m',
    400,
    -32020,
    'header and claim of two eras, the other way',
    echo({ meta: claim({ [META.protocolVersion]: '2025-11-25' }) }),
    { id: 7 },
  ),
  row(
    '10m',
    400,
    -32020,
    'the version header twice',
    echo({ headers: { 'MCP-Protocol-Version': `${VERSION}, ${VERSION}` } }),
    { id: 7 },
  ),
  row(
    '11m',
    400,
    -32022,
    'a version of long ago',
    echo({ meta: claim({ [META.protocolVersion]: '1900-01-01' }), headers: { 'MCP-Protocol-Version': '1900-01-01' } }),
    { id: 7 },
  ),
  row(
    '11m',
    400,
    -32022,
    'a legacy version as a claim',
    echo({ meta: claim({ [META.protocolVersion]: '2025-11-25' }), headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
    { id: 7 },
  ),
  row(
    '11m',
    400,
    -32022,
    'an unknown version, without a claim',
    echo({ meta: NOTHING, headers: { 'MCP-Protocol-Version': '2030-01-01' } }),
    { id: 7 },
  ),
  row(
    '11m',
    400,
    -32022,
    'a legacy version on a modern-only server',
    echo({ meta: NOTHING, headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
    { id: 7, rules: MODERN_ONLY },
  ),
  row('12m', 400, -32020, 'another method', echo({ headers: { 'Mcp-Method': 'tools/list' } }), { id: 7 }),
  row('12m', 400, -32020, 'the method in capitals', echo({ headers: { 'Mcp-Method': 'TOOLS/CALL' } }), { id: 7 }),
  row('12m', 400, -32020, 'no method', echo({ headers: { 'Mcp-Method': undefined } }), { id: 7 }),
  row('12m', 400, -32020, 'another name', echo({ headers: { 'Mcp-Name': 'add' } }), { id: 7 }),
  row('12m', 400, -32020, 'no name', echo({ headers: { 'Mcp-Name': undefined } }), { id: 7 }),
  row(
    '12m',
    400,
    -32020,
    'another prompt',
    modern('prompts/get', { params: { name: 'a' }, headers: { 'Mcp-Name': 'b' } }),
    { id: 7 },
  ),
  row(
    '12m',
    400,
    -32020,
    'another resource',
    modern('resources/read', { params: { uri: 'a:b', name: 'x' }, headers: { 'Mcp-Name': 'x' } }),
    { id: 7 },
  ),
  row(
    '12m',
    400,
    -32020,
    'a notification with another method',
    modern('notifications/x', { id: NOTHING, headers: { 'Mcp-Method': 'tools/call' } }),
  ),
  row(
    '13m',
    400,
    -32602,
    'initialize with today’s headers and no claim',
    initialize({ 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'initialize' }),
    { id: 1 },
  ),
  row('13m', 400, -32602, 'no claim', echo({ meta: NOTHING }), { id: 7 }),
  row('13m', 400, -32602, 'a version that is not a string', echo({ meta: claim({ [META.protocolVersion]: 5 }) }), {
    id: 7,
  }),
  row('13m', 400, -32602, 'invalid capabilities', echo({ meta: claim({ [META.clientCapabilities]: [] }) }), {
    id: 7,
  }),
  row('13m', 400, -32602, 'an invalid log level', echo({ meta: claim({ [META.logLevel]: 'loud' }) }), { id: 7 }),
  row(
    '14m',
    406,
    -32600,
    'a subscription of a client that takes no streams',
    modern('subscriptions/listen', { headers: { accept: 'application/json' } }),
    { id: 7 },
  ),
  row(
    '9l',
    400,
    -32020,
    'a name header without a claim',
    {
      ...legacy('tools/call', '2025-11-25', { 'Mcp-Name': 'safe_tool' }),
      body: { ...ping, method: 'tools/call', params: { name: 'echo' } },
    },
    { id: 1 },
  ),
  row(
    '9l',
    400,
    -32020,
    'a name header, and nothing that tells the era',
    post({ ...ping, method: 'tools/call', params: { name: 'echo' } }, { 'Mcp-Name': 'safe_tool' }),
    { id: 1 },
  ),
  row(
    '9l',
    400,
    -32020,
    'a method header without a claim',
    legacy('tools/list', '2025-11-25', { 'Mcp-Method': 'ping' }),
    { id: 'a' },
  ),
  row(
    '10l',
    406,
    -32600,
    'a client that does not accept streams',
    legacy('tools/list', '2025-11-25', { accept: 'application/json' }),
    {
      id: 'a',
    },
  ),
  row('10l', 406, -32600, 'a client that accepts only streams', initialize({ accept: 'text/event-stream' }), { id: 1 }),
  row('11l', 400, -32600, 'no session', legacy('tools/list', '2025-11-25', { 'Mcp-Session-Id': undefined }), {
    id: 'a',
  }),
  row('11l', 404, -32600, 'a session that is gone', legacy('tools/list', '2025-11-25', { 'Mcp-Session-Id': 'gone' }), {
    id: 'a',
  }),
  row(
    '11l',
    503,
    -32603,
    'a session that cannot be read',
    legacy('tools/list', '2025-11-25', { 'Mcp-Session-Id': 'unavailable' }),
    { id: 'a' },
  ),
  row('11l', 404, -32600, 'a response for a session that is gone', response({ 'Mcp-Session-Id': 'gone' })),
  row(
    '11l',
    404,
    -32600,
    'a notification for a session that is gone',
    post({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'Mcp-Session-Id': 'gone' }),
  ),
  row(
    '12l',
    400,
    -32600,
    'a response in a version that has none',
    response({ 'Mcp-Session-Id': 's-2025-11-25', 'MCP-Protocol-Version': VERSION }),
  ),
  row(
    '12l',
    400,
    -32600,
    'a version the server does not speak',
    legacy('tools/list', '2025-11-25', { 'MCP-Protocol-Version': '2025-06-18' }),
    { id: 'a', rules: { ...DUAL, supported: { modern: MODERN, legacy: ['2025-11-25'] } } },
  ),
  row('12l', 400, -32600, 'no version, where old clients are not served', post(ping), {
    id: 1,
    rules: { ...SESSIONLESS, supported: { modern: MODERN, legacy: ['2025-11-25'] } },
  }),
  row(
    '12l',
    400,
    -32600,
    'a modern version on a legacy-only server',
    legacy('tools/list', '2025-11-25', { 'MCP-Protocol-Version': VERSION }),
    { id: 'a', rules: LEGACY_ONLY },
  ),
];

for (const { order, what, sent, status, code, id, rules = DUAL } of ROWS) {
  test(`check ${order} refuses ${what}: ${status}, ${code}`, () => {
    const answer = refused(sent, rules);
    assert.deepEqual([answer.order, answer.status, answer.code, answer.id], [order, status, code, id], answer.message);
    assert.ok(answer.message.length > 0 && answer.message.length < 300);
  });
}

const ALL = Object.entries(CHECKS).flatMap(([stage, checks]) =>
  (checks as (typeof CHECKS)[Stage]).map(({ order, name, answers }) => ({ stage, order, name, answers })),
);

test('each check has a row here for each of its answers, and no other', () => {
  const inTable = new Set(ALL.flatMap(({ order, answers }) => answers.map((answer) => `${order} ${answer.join()}`)));
  inTable.delete('15m 400,-32600');
  inTable.delete('16m 400,-32020');
  assert.deepEqual(new Set(ROWS.map(({ order, status, code }) => `${order} ${status},${code}`)), inTable);
});

test('the checks are in order, and no two share a place', () => {
  const place = (order: string): number =>
    Number.parseInt(order, 10) + (/[a-d]$/.test(order) ? order.charCodeAt(order.length - 1) / 1000 : 0);
  for (const checks of Object.values(CHECKS)) {
    const places = (checks as (typeof CHECKS)[Stage]).map(({ order }) => place(order));
    assert.deepEqual(
      places,
      [...new Set(places)].sort((a, b) => a - b),
    );
  }
  assert.equal(new Set(ALL.map(({ order }) => order)).size, ALL.length);
});

test('where several checks fail, the first one answers', () => {
  const wrong: readonly (readonly [Sent, number, number])[] = [
    [
      { host: 'evil.example', path: '/x', method: 'PUT', headers: { 'content-type': 'text/plain' }, oversize: true },
      403,
      -32600,
    ],
    [{ path: '/x', method: 'PUT', headers: { 'content-type': 'text/plain' } }, 404, -32600],
    [{ method: 'PUT', headers: { 'content-type': 'text/plain' } }, 405, -32600],
    [
      {
        headers: {
          'content-type': 'text/plain',
          'content-encoding': 'gzip',
          accept: 'text/html',
          'content-length': '9999999',
        },
      },
      415,
      -32600,
    ],
    [{ headers: { accept: 'text/html', 'content-length': '9999999' } }, 406, -32600],
    [{ oversize: true, body: '{' }, 413, -32600],
    [echo({ id: 1.5, headers: { 'MCP-Protocol-Version': undefined, 'Mcp-Method': 'x' } }), 400, -32600],
    [
      modern('unknown/method', {
        meta: claim({ [META.protocolVersion]: '1', [META.clientCapabilities]: 1 }),
        headers: { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined },
      }),
      400,
      -32020,
    ],
    [
      modern('unknown/method', {
        meta: claim({ [META.protocolVersion]: '1', [META.clientCapabilities]: 1 }),
        headers: { 'MCP-Protocol-Version': '1', 'Mcp-Method': undefined },
      }),
      400,
      -32022,
    ],
    [
      modern('unknown/method', { meta: claim({ [META.clientCapabilities]: 1 }), headers: { 'Mcp-Method': undefined } }),
      400,
      -32020,
    ],
    [modern('unknown/method', { meta: claim({ [META.clientCapabilities]: 1 }) }), 400, -32602],
    [
      legacy('tools/call', '2025-11-25', {
        'Mcp-Method': 'x',
        accept: 'application/json',
        'Mcp-Session-Id': 'gone',
        'MCP-Protocol-Version': '2024-11-05',
      }),
      400,
      -32020,
    ],
    [legacy('tools/call', '2025-11-25', { accept: 'application/json', 'Mcp-Session-Id': 'gone' }), 406, -32600],
    [
      legacy('tools/call', '2025-11-25', { 'Mcp-Session-Id': 'gone', 'MCP-Protocol-Version': '2024-11-05' }),
      404,
      -32600,
    ],
  ];
  for (const [sent, status, code] of wrong) {
    const answer = refused(sent, DUAL);
    assert.deepEqual([answer.status, answer.code], [status, code], answer.message);
  }
});

test('a method that is not allowed is answered with those that are', () => {
  assert.deepEqual(refused({ method: 'GET' }, MODERN_ONLY).headers, { allow: 'POST' });
  assert.deepEqual(refused({ method: 'DELETE' }, MODERN_ONLY).headers, { allow: 'POST' });
  assert.deepEqual(refused({ method: 'PUT' }, DUAL).headers, { allow: 'GET, POST, DELETE' });
});

test('a preflight allows the methods that the checks accept', () => {
  for (const rules of [DUAL, SESSIONLESS, MODERN_ONLY, LEGACY_ONLY]) {
    const allowed = answerOptions(rules.guard, 'http://localhost:5173', '', rules.methods).headers[
      'access-control-allow-methods'
    ];
    assert.equal(allowed, refused({ method: 'PUT' }, rules).headers['allow']);
  }
});

test('an unsupported version is answered with the supported ones', () => {
  const answer = refused(
    echo({ meta: claim({ [META.protocolVersion]: 'v999.0.0' }), headers: { 'MCP-Protocol-Version': 'v999.0.0' } }),
    DUAL,
  );
  assert.deepEqual(answer.data, { supported: [VERSION], requested: 'v999.0.0' });
  assert.deepEqual(refused(initialize(), MODERN_ONLY).data, { supported: [VERSION], requested: '2025-11-25' });
  assert.deepEqual(refused(echo({ meta: NOTHING, headers: { 'MCP-Protocol-Version': 'v999' } }), DUAL).data, {
    supported: [VERSION],
    requested: 'v999',
  });
});

test('check 16m: the headers of a call repeat the arguments that its tool names', () => {
  const mirrored = mirroredParams({
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  });
  assert.ok(!('problem' in mirrored));
  const header = (value: string) => (name: string) => (name === 'mcp-param-region' ? value : undefined);
  const text = '{"params":{"arguments":{"region":"eu"}}}';
  assert.equal(refuseToolCall({ header: header('eu'), text, mirrored, args: { region: 'eu' } }, DUAL), undefined);
  const refusal = refuseToolCall({ header: header('us'), text, mirrored, args: { region: 'eu' } }, DUAL);
  assert.deepEqual([refusal?.order, refusal?.status, refusal?.error.code], ['16m', 400, -32020]);
  const twice = text.replace('}}}', ',"\\u0072egion":"eu"}}}');
  const repeated = refuseToolCall({ header: header('eu'), text: twice, mirrored, args: { region: 'eu' } }, DUAL);
  assert.deepEqual([repeated?.order, repeated?.status, repeated?.error.code], ['15m', 400, -32600]);
});
