import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type JsonObject, classifyMessage } from '../../protocol/jsonrpc.ts';
import { META } from '../../protocol/meta.ts';
import { LEGACY } from '../../protocol/revision.ts';
import { HttpExchange } from './http-exchange.ts';
import type { HttpRules, Stage } from './request-check.ts';
import { CHECKS } from './request-checks.ts';
import {
  claim,
  checked,
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
  served,
  SESSIONLESS,
  V03,
  VERSION,
} from './fixtures/checked.ts';
import { statusOf } from './post-response.ts';

/** The probes of the official suite that concern headers and metadata: header and claim are of 2026-07-28 unless given. */
const PROBES: readonly (readonly [
  what: string,
  sent: Sent,
  expected: string | readonly [status: number, code: number],
])[] = [
  [
    'discover with empty params',
    { ...modern('server/discover'), body: { jsonrpc: '2.0', id: 101, method: 'server/discover', params: {} } },
    [400, -32602],
  ],
  [
    'discover without protocolVersion',
    modern('server/discover', { id: 102, meta: { [META.clientCapabilities]: {} } }),
    [400, -32602],
  ],
  [
    'discover without clientCapabilities',
    modern('server/discover', { id: 104, meta: { [META.protocolVersion]: VERSION } }),
    [400, -32602],
  ],
  ['discover without clientInfo', modern('server/discover', { id: 103 }), 'modern'],
  [
    'discover with clientInfo',
    modern('server/discover', { meta: claim({ [META.clientInfo]: { name: 'c', version: '1' } }) }),
    'modern',
  ],
  ['prompts/list, declared', modern('prompts/list'), 'modern'],
  ['resources/list, whether declared or not', modern('resources/list'), 'modern'],
  [
    'v999.0.0 in header and claim',
    modern('server/discover', {
      meta: claim({ [META.protocolVersion]: 'v999.0.0' }),
      headers: { 'MCP-Protocol-Version': 'v999.0.0' },
    }),
    [400, -32022],
  ],
  [
    'v999.0.0 in the claim',
    modern('server/discover', { meta: claim({ [META.protocolVersion]: 'v999.0.0' }) }),
    [400, -32020],
  ],
  ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'unknown/method'].map(
    (method) => [method, modern(method), 'modern'] as const,
  ),
  ['a listen', modern('subscriptions/listen', { params: { notifications: { toolsListChanged: true } } }), 'modern'],
  [
    'header names in lower case',
    { ...echo(), headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'echo' } },
    'modern',
  ],
  [
    'header names in upper case',
    { ...echo(), headers: { 'MCP-PROTOCOL-VERSION': VERSION, 'MCP-METHOD': 'tools/call', 'MCP-NAME': 'echo' } },
    'modern',
  ],
  ['a name with whitespace around', echo({ headers: { 'Mcp-Name': '  echo  ' } }), 'modern'],
  ['a name in Base64', echo({ headers: { 'Mcp-Name': '=?base64?ZWNobw==?=' } }), 'modern'],
  [
    'a legacy client that sends Mcp-Method',
    initialize({ 'Mcp-Method': 'initialize', Origin: 'http://localhost:3000' }),
    'initialize',
  ],
  ['a legacy initialize that names its version', initialize({ 'MCP-Protocol-Version': '2025-06-18' }), 'initialize'],
  [
    'a foreign host and origin',
    { ...initialize({ Origin: 'http://evil.example.com' }), host: 'evil.example.com' },
    [403, -32600],
  ],
];

for (const [what, sent, expected] of PROBES) {
  test(`the official suite sends ${what}: ${String(expected)}`, () => {
    if (typeof expected === 'string') return assert.equal(served(sent, DUAL), expected);
    const answer = refused(sent, DUAL);
    assert.deepEqual([answer.status, answer.code], expected, answer.message);
    return assert.equal(answer.id, answer.status === 403 ? undefined : (sent.body as JsonObject)['id']);
  });
}

/** Requests that have to be served. */
const SERVED: readonly (readonly [what: string, sent: Sent, kind: string, rules?: HttpRules])[] = [
  ['a modern request', echo(), 'modern'],
  ['a modern request to a server of that era', echo(), 'modern', MODERN_ONLY],
  [
    'a modern request with a session and an event id of another era',
    echo({ headers: { 'Mcp-Session-Id': 'gone', 'Last-Event-ID': '1' } }),
    'modern',
  ],
  ['a modern request that takes JSON only', echo({ headers: { accept: 'application/json' } }), 'modern'],
  ['a modern request that takes anything', echo({ headers: { accept: '*/*' } }), 'modern'],
  ['a modern request without an Accept header', echo({ headers: { accept: undefined } }), 'modern'],
  ['JSON with a charset', echo({ headers: { 'content-type': 'Application/JSON ; charset=utf-8' } }), 'modern'],
  [
    'a body with identity encoding',
    echo({ headers: { 'content-encoding': 'identity', 'content-length': '4194304' } }),
    'modern',
  ],
  [
    'a request of a page that the machine itself serves',
    echo({ headers: { Origin: 'http://localhost:5173' } }),
    'modern',
  ],
  ...['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'].map(
    (host) => [`the host ${host}`, { ...echo(), host }, 'modern'] as const,
  ),
  [
    'a request at another path where that is not ours to judge',
    { ...echo(), path: '/x' },
    'modern',
    { ...DUAL, path: undefined },
  ],
  ['a notification of today', modern('notifications/x', { id: NOTHING }), 'noted'],
  [
    'a notification with nothing but its version',
    modern('notifications/x', { id: NOTHING, meta: NOTHING, headers: { 'Mcp-Method': undefined } }),
    'noted',
  ],
  ['initialize', initialize(), 'initialize'],
  [
    'initialize with an id that the client chose for its session',
    initialize({ 'Mcp-Session-Id': 'attacker-chosen-1' }),
    'initialize',
  ],
  [
    'initialize with an unknown version in its header',
    initialize({ 'MCP-Protocol-Version': '2024-10-07' }),
    'initialize',
  ],
  ['initialize where each request stands alone', initialize(), 'initialize', SESSIONLESS],
  [
    'initialize at a server without today’s era',
    initialize({ 'MCP-Protocol-Version': VERSION }),
    'initialize',
    LEGACY_ONLY,
  ],
  ...LEGACY.map(
    (revision) => [`a request in a session of ${revision}`, legacy('tools/list', revision), 'legacy'] as const,
  ),
  [
    'a request in a session that names no version',
    legacy('tools/list', '2025-11-25', { 'MCP-Protocol-Version': undefined }),
    'legacy',
  ],
  ['a request without a session on a server without sessions', post(ping), 'legacy', SESSIONLESS],
  ['a response in a session', response({ 'Mcp-Session-Id': 's-2025-11-25' }), 'legacy'],
  [
    'a notification in a session that takes JSON only',
    post(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { 'Mcp-Session-Id': 's-2025-11-25', accept: 'application/json' },
    ),
    'legacy',
  ],
  [
    'a batch in a session that has them, whatever version it names',
    post([ping], { 'Mcp-Session-Id': `s-${V03}`, 'MCP-Protocol-Version': '2025-11-25' }),
    'legacy',
  ],
  [
    'a batch of 2025-03-26',
    post([ping, { jsonrpc: '2.0', method: 'notifications/x' }], { 'Mcp-Session-Id': `s-${V03}` }),
    'legacy',
  ],
  [
    'a batch that names nothing, where each request stands alone',
    post(Array.from({ length: 100 }, () => ping)),
    'legacy',
    SESSIONLESS,
  ],
  ['a claim at a server without today’s era', legacy('tools/list', '2025-11-25', {}), 'legacy', LEGACY_ONLY],
  [
    'a GET of a session',
    {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'Mcp-Session-Id': 's-2025-11-25', 'MCP-Protocol-Version': '2025-11-25' },
    },
    'session',
  ],
  [
    'a DELETE of a session',
    { method: 'DELETE', headers: { 'content-type': undefined, 'Mcp-Session-Id': 's-2025-06-18' } },
    'session',
  ],
];

for (const [what, sent, kind, rules = DUAL] of SERVED) {
  test(`${what} is served (${kind})`, () => assert.equal(served(sent, rules), kind));
}

test('a call that passes has all data needed to serve it', () => {
  const pass = (sent: Sent, rules = DUAL): HttpExchange => {
    const http = checked(sent, rules);
    assert.ok(http instanceof HttpExchange);
    return http;
  };
  const one = pass(echo());
  assert.ok(one.body.kind === 'request');
  assert.equal(one.body.method, 'tools/call');
  assert.deepEqual(one.claim, { revision: VERSION, capabilities: {}, client: undefined, logLevel: undefined });
  const several = pass(post([ping], { 'Mcp-Session-Id': `s-${V03}` })).body;
  assert.ok(several.kind === 'batch');
  assert.deepEqual(several.messages, [{ kind: 'request', id: 1, method: 'ping', params: {}, meta: {} }]);
});

test("the HTTP status of a method's error", () => {
  const statuses = [-32700, -32600, -32020, -32021, -32022, -32601, -32602, -32603, -32002, 5].map((code) =>
    statusOf(code, 'modern'),
  );
  assert.deepEqual(statuses, [400, 400, 400, 400, 400, 404, 200, 200, 200, 200]);
  assert.deepEqual(
    [-32601, -32602, -32600, -32002].map((code) => statusOf(code, 'legacy')),
    [200, 200, 200, 200],
  );
});

const ANSWERS = new Map(
  Object.values(CHECKS).flatMap((checks) =>
    (checks as (typeof CHECKS)[Stage]).map(({ order, answers }) => [order, answers] as const),
  ),
);

test('any request is refused or served without an exception, and only messages are served', () => {
  const header = fc.oneof(
    fc.constantFrom(
      VERSION,
      V03,
      '2025-11-25',
      's-2025-11-25',
      'tools/call',
      'echo',
      'null',
      '',
      'application/json',
      '*/*',
    ),
    fc.string({ unit: fc.constantFrom('a', ',', ';', '=', '/', ' ', '?', '*') }),
  );
  const names = [
    'accept',
    'content-type',
    'origin',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'content-length',
    'content-encoding',
  ];
  const headers = fc
    .array(fc.tuple(fc.constantFrom(...names), header), { maxLength: 4 })
    .map((pairs) => Object.fromEntries(pairs));
  const meta = fc.oneof(
    fc.constant(claim()),
    fc.dictionary(fc.constantFrom(...Object.values(META)), fc.jsonValue({ maxDepth: 1 })),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue({ maxDepth: 1 })),
      method: fc.constantFrom('tools/call', 'initialize', 'ping', 'server/discover', '__proto__', 'notifications/x'),
      params: fc.oneof(
        fc.record({ _meta: meta, name: fc.constantFrom('echo', 5) }, { requiredKeys: [] }),
        fc.jsonValue({ maxDepth: 1 }),
      ),
      result: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['jsonrpc'] },
  );
  const body = fc.oneof({ weight: 4, arbitrary: message }, fc.array(message, { maxLength: 3 }), fc.jsonValue());
  fc.assert(
    fc.property(
      headers,
      body,
      fc.constantFrom(DUAL, SESSIONLESS, MODERN_ONLY, LEGACY_ONLY),
      (more, sentBody, rules) => {
        const answer = checked({ headers: { ...echo().headers, ...more }, body: sentBody }, rules);
        if (!(answer instanceof HttpExchange)) {
          const { order, status, code, message: why } = answer;
          assert.ok(
            ANSWERS.get(order)?.some((one) => one[0] === status && one[1] === code),
            `${order} ${status} ${code}`,
          );
          assert.ok(why.length > 0 && !/[\u0000-\u001f]/.test(why));
          return;
        }
        if (!Array.isArray(sentBody))
          assert.notEqual(classifyMessage(JSON.parse(JSON.stringify(sentBody))).kind, 'invalid');
      },
    ),
    { numRuns: 5000 },
  );
});
