import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PeerError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META } from '../protocol/meta.ts';
import { CACHEABLE_METHODS } from '../protocol/cacheable-methods.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { LIST_KEY, type ListMethod } from '../protocol/results.ts';
import { featuresOf, REVISIONS } from '../protocol/revision.ts';
import { frozen } from '../../test/frozen.ts';
import { cacheHint } from './cache-hint.ts';
import { decodeResult, isInputRequired, serverInfoOf } from './decode.ts';
import { decodeInputRequired } from './decode-input-required.ts';

/** The smallest valid result of every method. */
const SMALLEST: Readonly<Record<string, JsonObject>> = frozen({
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } },
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: {} },
  'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
  'resources/list': { resources: [{ uri: 'a:b', name: 'r' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'r' }] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'tools/call': { content: [] },
  'resources/read': { contents: [{ uri: 'a:b', text: '' }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: '' } }] },
  'completion/complete': { completion: { values: [] } },
  ping: {},
});

const LISTS = Object.keys(LIST_KEY) as ListMethod[];

function malformed(method: string, result: JsonObject, expected: RegExp | string): void {
  assert.throws(
    () => decodeResult(method, result, '2026-07-28'),
    (error) => {
      assert.ok(error instanceof PeerError);
      assert.ok(error.message.includes(method), error.message);
      assert.match(
        error.message,
        typeof expected === 'string' ? new RegExp(expected.replace(/[.[\]"]/g, '\\$&')) : expected,
      );
      return true;
    },
  );
}

for (const revision of REVISIONS) {
  const modern = featuresOf(revision).era === 'modern';

  for (const [method, result] of Object.entries(SMALLEST)) {
    test(`[BASE-23] ${revision}: a result of ${method} without resultType is complete, and returned unchanged`, () => {
      assert.deepEqual(decodeResult(method, result, revision), result);
      assert.equal(isInputRequired(decodeResult(method, result, revision)), false);
    });
  }

  test(`[BASE-22] ${revision}: an unknown resultType makes a result ${modern ? 'invalid' : 'no different'}`, () => {
    for (const resultType of ['task', '', 'Complete', null, 5, '__proto__']) {
      const result = frozen({ content: [], resultType });
      if (modern) assert.throws(() => decodeResult('tools/call', result, revision), PeerError);
      else assert.deepEqual(decodeResult('tools/call', result, revision), { content: [] });
    }
  });

  test(`${revision}: members that only concern the transfer of a result are removed`, () => {
    for (const [method, result] of Object.entries(SMALLEST)) {
      const hints = CACHEABLE_METHODS.has(method) ? { ttlMs: 5, cacheScope: 'public' } : {};
      const sent = frozen({ ...result, ttlMs: 5, cacheScope: 'public', resultType: 'complete' });
      assert.deepEqual(decodeResult(method, sent, revision), { ...result, ...hints });
    }
  });

  test(`${revision}: an invalid caching hint does not make a resource fail, and is left out`, () => {
    const { contents } = SMALLEST['resources/read']!;
    for (const bad of [
      { ttlMs: '5', cacheScope: 'all' },
      { ttlMs: null, cacheScope: null },
    ]) {
      assert.deepEqual(decodeResult('resources/read', { contents, ...bad }, revision), { contents });
    }
  });

  test(`[BASE-21] ${revision}: an extension may bring a resultType`, () => {
    const result = frozen({ resultType: 'task', taskId: '1', content: [] });
    assert.equal(decodeResult('tools/call', result, revision, { resultTypes: new Set(['task']) }), result);
  });

  test(`${revision}: questions are an answer only to ${modern ? 'methods that may ask' : 'nothing'}`, () => {
    for (const [method, result] of Object.entries(SMALLEST)) {
      const asking = { ...result, resultType: 'input_required', requestState: 's' };
      const decode = () => decodeResult(method, asking, revision);
      if (modern && !ASKING_METHODS.has(method)) assert.throws(decode, PeerError);
      else assert.deepEqual(decode(), modern ? asking : { ...result, requestState: 's' });
    }
  });
}

for (const method of LISTS) {
  const key = LIST_KEY[method];
  const [good] = SMALLEST[method]![key] as [JsonObject];
  const identity = Object.keys(good)[0]!;

  test(`[TOOL-38] a malformed entry of ${method} hides no other entry, and is reported`, () => {
    const problems: string[] = [];
    const entries = [good, null, 'x', [], {}, { ...good, [identity]: 5 }, { ...good, _meta: { a: 1 } }];
    const result = decodeResult(method, frozen({ [key]: entries }), '2026-07-28', {
      report: (problem) => problems.push(problem),
    });
    assert.deepEqual(result[key], [good, entries.at(-1)]);
    assert.equal(problems.length, 5);
    for (const [index, problem] of problems.entries()) assert.ok(problem.startsWith(`${key}[${index + 1}]`), problem);
  });

  test(`a malformed optional member of ${method} is left out of its entry, and reported`, () => {
    const problems: string[] = [];
    const entry = { ...good, description: 5, title: null, _meta: 'x', icons: [{ src: 'data:,' }, { src: 1 }] };
    const result = decodeResult(method, frozen({ [key]: [entry] }), '2026-07-28', {
      report: (problem) => problems.push(problem),
    });
    assert.deepEqual(result[key], [{ ...good, icons: [{ src: 'data:,' }] }]);
    assert.deepEqual(problems.map((problem) => problem.split(' ')[0]).sort(), [
      `${key}[0]._meta`,
      `${key}[0].description`,
      `${key}[0].icons[1].src`,
    ]);
  });

  test(`[PAGE-8] [PAGE-4] ${method}: an empty cursor is a cursor, a missing one is the end, another type is an error`, () => {
    const page = (nextCursor: unknown): JsonObject =>
      decodeResult(method, frozen({ [key]: [], nextCursor }), '2025-11-25');
    assert.equal(page('')['nextCursor'], '');
    assert.equal(Object.hasOwn(page(null), 'nextCursor'), false);
    assert.equal(page(undefined)['nextCursor'], undefined);
    malformed(method, { [key]: [], nextCursor: 5 }, 'nextCursor must be a string');
  });

  test(`${method} has a list`, () => {
    malformed(method, {}, `${key} must be an array`);
    malformed(method, { [key]: { 0: good } }, `${key} must be an array`);
  });
}

const text = { type: 'text', text: 'a' };
const BAD: readonly (readonly [string, JsonObject, string])[] = [
  ['tools/call', {}, 'content must be an array'],
  ['tools/call', { content: 'a' }, 'content must be an array'],
  ['tools/call', { content: [text, null] }, 'content[1] must be an object'],
  ['tools/call', { content: [{ text: 'a' }] }, 'content[0].type must be a string'],
  ['tools/call', { content: [{ type: 'text' }] }, 'content[0].text must be a string'],
  ['tools/call', { content: [{ type: 'image', data: 'AA==' }] }, 'content[0].mimeType must be a string'],
  ['tools/call', { content: [{ type: 'audio', mimeType: 'audio/wav' }] }, 'content[0].data must be a string'],
  [
    'tools/call',
    { content: [{ type: 'resource', resource: { uri: 'a:b' } }] },
    'content[0].resource must be an object with "text" or "blob"',
  ],
  [
    'tools/call',
    { content: [{ type: 'resource', resource: { text: 'a' } }] },
    'content[0].resource.uri must be a string',
  ],
  ['tools/call', { content: [{ type: 'resource_link', uri: 'a:b' }] }, 'content[0].name must be a string'],
  [
    'tools/call',
    { content: [{ ...text, annotations: { audience: 'user' } }] },
    'content[0].annotations.audience must be an array',
  ],
  ['tools/call', { content: [], isError: 'yes' }, 'isError must be a boolean'],
  ['tools/call', { content: [], _meta: [] }, '_meta must be an object'],
  ['resources/read', {}, 'contents must be an array'],
  ['resources/read', { contents: [{ uri: 'a:b' }] }, 'contents[0] must be an object with "text" or "blob"'],
  ['resources/read', { contents: [{ text: '' }] }, 'contents[0].uri must be a string'],
  ['prompts/get', { messages: [{ role: 'system', content: text }] }, 'messages[0].role must be one of user, assistant'],
  ['prompts/get', { messages: [{ role: 'user', content: [text] }] }, 'messages[0].content must be an object'],
  ['completion/complete', { completion: { values: [1] } }, 'completion.values[0] must be a string'],
  ['completion/complete', {}, 'completion must be an object'],
  ['completion/complete', { completion: { values: [], total: '1' } }, 'completion.total must be a number'],
  ['initialize', { ...SMALLEST['initialize'], serverInfo: { name: 's' } }, 'serverInfo.version must be a string'],
  ['initialize', { ...SMALLEST['initialize'], capabilities: null }, 'capabilities must be an object'],
  ['server/discover', { supportedVersions: '2026-07-28', capabilities: {} }, 'supportedVersions must be an array'],
];

for (const [method, result, message] of BAD) {
  test(`a malformed result of ${method} is an error that names the member: ${message}`, () =>
    malformed(method, frozen(result), message));
}

test('content of an unknown type stays', () => {
  const result = frozen({ content: [{ type: 'hologram', depth: 3 }] });
  assert.equal(decodeResult('tools/call', result, '2026-07-28'), result);
});

test('[TOOL-28] structuredContent null is a value; content may be missing beside it', () => {
  assert.deepEqual(decodeResult('tools/call', frozen({ structuredContent: null }), '2026-07-28'), {
    structuredContent: null,
    content: [],
  });
  const both = frozen({ content: [text], structuredContent: [1] });
  assert.equal(decodeResult('tools/call', both, '2026-07-28'), both);
});

test('null counts as missing for an optional member', () => {
  const result = frozen({ content: [{ ...text, annotations: null, _meta: null }], isError: null, _meta: null });
  assert.deepEqual(decodeResult('tools/call', result, '2025-06-18'), { content: [text] });
});

test('members with names of the prototype are ordinary members', () => {
  const result = JSON.parse(
    '{"tools":[{"__proto__":{"name":"t","inputSchema":{}}},{"name":"__proto__","inputSchema":{}}]}',
  ) as JsonObject;
  const tools = decodeResult('tools/list', result, '2026-07-28')['tools'];
  assert.deepEqual(tools, [{ name: '__proto__', inputSchema: {} }]);
});

test("a peer's text in an error message is shortened and has no control characters", () => {
  assert.throws(
    () => decodeResult('tools/call', { resultType: `\u001b[31m${'x'.repeat(10_000)}` }, '2026-07-28'),
    (error) => error instanceof PeerError && error.message.length < 400 && !error.message.includes('\u001b'),
  );
});

test('any JSON is decoded or refused with a PeerError, and never modified', () => {
  const methods = fc.constantFrom(...Object.keys(SMALLEST));
  const keys = fc.constantFrom(
    'tools',
    'content',
    'contents',
    'messages',
    'completion',
    'nextCursor',
    'resultType',
    '_meta',
    '__proto__',
    'prompts',
  );
  const members = fc.dictionary(
    keys,
    fc.oneof(
      fc.jsonValue(),
      fc.array(fc.dictionary(fc.constantFrom('name', 'uri', 'type', 'text', 'inputSchema'), fc.jsonValue())),
    ),
  );
  fc.assert(
    fc.property(methods, members, fc.constantFrom(...REVISIONS), (method, result, revision) => {
      const given = frozen(result as JsonObject);
      try {
        const decoded = decodeResult(method, given, revision);
        for (const [listMethod, key] of Object.entries(LIST_KEY))
          if (listMethod === method) assert.ok(Array.isArray(decoded[key]));
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
      }
    }),
  );
});

test('the input requests of a result are read by key, the state unchanged', () => {
  const result = JSON.parse(
    '{"resultType":"input_required","requestState":"s","inputRequests":{"__proto__":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"message":"m"}}}}',
  ) as JsonObject;
  const { requests, state } = decodeInputRequired(frozen(result));
  assert.equal(state, 's');
  assert.deepEqual(
    [...requests],
    [
      ['__proto__', { method: 'roots/list', params: {} }],
      ['b', { method: 'elicitation/create', params: { message: 'm' } }],
    ],
  );
});

test('a result may have only a state, or only input requests', () => {
  assert.deepEqual(decodeInputRequired({ requestState: '' }), { requests: new Map(), state: '' });
  assert.equal(decodeInputRequired({ inputRequests: { a: { method: 'roots/list' } } }).state, undefined);
});

test('a malformed input request is an error that names it', () => {
  const cases: [JsonObject, RegExp][] = [
    [{}, /neither/],
    [{ requestState: 5 }, /requestState must be a string/],
    [{ inputRequests: [] }, /inputRequests must be an object/],
    [{ inputRequests: { a: null } }, /inputRequests\.a must be an object/],
    [{ inputRequests: { a: { method: 'tools/call', params: {} } } }, /inputRequests\.a\.method must be one of/],
    [{ inputRequests: { a: { method: 'roots/list', params: [] } } }, /inputRequests\.a\.params must be an object/],
  ];
  for (const [result, message] of cases) {
    assert.throws(
      () => decodeInputRequired(result),
      (error) => error instanceof PeerError && message.test(error.message),
    );
  }
});

test('[CACHE-9] [CACHE-10] a cache hint is an integer number of milliseconds, 0 if missing or invalid, and private unless it is public', () => {
  for (const [result, ttlMs, cacheScope] of [
    [{}, 0, 'private'],
    [{ ttlMs: 1500.9, cacheScope: 'public' }, 1500, 'public'],
    [{ ttlMs: -5, cacheScope: 'Public' }, 0, 'private'],
    [{ ttlMs: '5', cacheScope: null }, 0, 'private'],
    [{ ttlMs: 1e300 }, Number.MAX_SAFE_INTEGER, 'private'],
    [{ ttlMs: Number.NaN }, 0, 'private'],
  ] as const) {
    assert.deepEqual(cacheHint(result), { ttlMs, cacheScope });
  }
});

test("the server's name is read from _meta, or from the body where older drafts have it", () => {
  const info = { name: 's', version: '1' };
  assert.deepEqual(
    serverInfoOf({ _meta: { [META.serverInfo]: info }, serverInfo: { name: 'other', version: '2' } }),
    info,
  );
  assert.deepEqual(serverInfoOf({ serverInfo: info }), info);
  assert.equal(serverInfoOf({ _meta: { [META.serverInfo]: { name: 's' } } }), undefined);
});

test('[BASE-72] the icons of a server are those from https: and data: URIs, its other members strings', () => {
  const good = [{ src: 'https://a/b.png' }, { src: 'data:image/png;base64,AA==', sizes: ['any'] }];
  const bad = [{ src: 'http://a/b.png' }, { src: 'javascript:alert(1)' }, { src: 'file:///etc/passwd' }, {}, 'x', null];
  const info = { name: 's', version: '1', title: 'T', unknown: 1 };
  for (const given of [
    { serverInfo: { ...info, icons: [...bad, ...good] } },
    { _meta: { [META.serverInfo]: { ...info, icons: [...good, ...bad], websiteUrl: 5, description: {} } } },
  ])
    assert.deepEqual(serverInfoOf(frozen(given)), { ...info, icons: good });
  assert.deepEqual(serverInfoOf({ serverInfo: { ...info, icons: 'x', description: null } }), info);
});

test('[BASE-71, BASE-72] icons that are not from https: or data: URIs are left out and reported', () => {
  const reports: string[] = [];
  const sources = [
    'https://a/b.png',
    'data:image/png;base64,AA==',
    'http://a/b.png',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'HTTPS://a/c.png',
    ' data:,',
    'ftp://a',
  ];
  const tool = { name: 'a', inputSchema: { type: 'object' }, icons: sources.map((src) => ({ src })) };
  const { tools } = decodeResult('tools/list', { tools: [tool] }, '2025-11-25', {
    report: (problem) => reports.push(problem),
  });
  assert.deepEqual(
    (tools as { icons: { src: string }[] }[])[0]!.icons.map(({ src }) => src),
    ['https://a/b.png', 'data:image/png;base64,AA==', 'HTTPS://a/c.png'],
  );
  assert.equal(reports.length, 5);
});
