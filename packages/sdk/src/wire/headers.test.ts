import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LEGACY, REVISIONS } from '../protocol/revision.ts';
import {
  ASSUMED_REVISION,
  checkStandardHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  HEADER,
  isFieldValue,
  type HeaderLookup,
  type MirroredMessage,
  NAME_SOURCES,
  standardHeaders,
  trimOws,
} from './headers.ts';

function base64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Headers as a server sees them. */
function lookup(headers: Record<string, string>): HeaderLookup {
  const all = new Headers(headers);
  return (name) => all.get(name);
}

/** The examples of the specification and of the official suite, and similar ones. */
const ENCODED: readonly (readonly [text: string, header: string])[] = [
  ['us-west1', 'us-west1'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['=?base64?=', base64('=?base64?=')],
  ['=?base64??=', base64('=?base64??=')],
  ['', ''],
  ['a b  c', 'a b  c'],
  [' lead', base64(' lead')],
  ['trail ', base64('trail ')],
  [' ', base64(' ')],
  ['\tindented', base64('\tindented')],
  ['inner\ttab', base64('inner\ttab')],
  ['a\r\nX-Evil: 1', base64('a\r\nX-Evil: 1')],
  ['nul\u0000', base64('nul\u0000')],
  ['\u007f', base64('\u007f')],
  ['Région', base64('Région')],
  ['\ufeffmark', base64('\ufeffmark')],
  ['\u{1F600}', base64('\u{1F600}')],
  ['=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
  ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
  ['SGVsbG8=?=', 'SGVsbG8=?='],
  ['SGVsbG8=', 'SGVsbG8='],
];

test('[HTTP-30] [HTTP-50] [HTTP-51] [HTTP-52] [HTTP-53] a text is sent unchanged if a header can carry it, else as Base64', () => {
  for (const [text, header] of ENCODED) {
    assert.equal(encodeHeaderValue(text), header);
    assert.equal(decodeHeaderValue(header), text);
  }
});

test('[HTTP-51] for any text, the header has only visible characters and is decoded to the text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('=', '?', 'base64', ' ', '\t', 'A', '\r', '\n', 'é', '=?base64?', '?=') }),
  );
  fc.assert(
    fc.property(text, (value) => {
      const header = encodeHeaderValue(value);
      assert.match(header, /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/);
      assert.equal(decodeHeaderValue(` \t${header}\t `), value);
      assert.equal(new Headers({ x: header }).get('x'), header);
    }),
    { numRuns: 5000 },
  );
});

test('[HTTP-38] optional whitespace around a value is removed', () => {
  assert.equal(trimOws(' \t a b \t'), 'a b');
  assert.equal(trimOws(' \t'), '');
  assert.equal(trimOws('\u00a0a\u00a0'), '\u00a0a\u00a0');
  assert.equal(decodeHeaderValue('  name  '), 'name');
  assert.equal(decodeHeaderValue('\t=?base64?IHBhZGRlZCA=?= '), ' padded ');
  // Trimming a megabyte of blanks takes linear time.
  assert.equal(trimOws(`${' '.repeat(1e6)}a${'\t'.repeat(1e6)}`), 'a');
});

test('[HTTP-34] a value with characters that headers must not have is invalid', () => {
  for (const value of ['a\u0000', 'a\nb', 'a\rb', '\u007f', 'é', '日本', 'a\u0080', '\u001b[2J']) {
    assert.equal(decodeHeaderValue(value), undefined);
  }
  assert.equal(decodeHeaderValue('inner\ttab'), 'inner\ttab');
});

test('[HTTP-53] [HTTP-57] Base64 has one form: padded, standard alphabet, no stray bits, UTF-8', () => {
  for (const inside of [
    'SGVsbG8',
    'SGVs!!!bG8=',
    'SGVsbG8==',
    'SGVsbG9=',
    'QR==',
    'SGV sbG8=',
    'SGVsbG8=\t',
    '=',
    'A',
    '_-__',
    'PT9i\u00e9',
    '/w==',
    '7aCA',
  ]) {
    assert.equal(decodeHeaderValue(`=?base64?${inside}?=`), undefined, inside);
  }
  assert.equal(decodeHeaderValue('=?base64??='), '');
  assert.equal(decodeHeaderValue('=?base64?='), '=?base64?=');
  assert.equal(decodeHeaderValue('=?base64?SGVsbG8=?='), 'Hello');
});

test('long values are encoded and decoded completely', () => {
  const text = '\u20ac'.repeat(100_000);
  assert.equal(decodeHeaderValue(encodeHeaderValue(text)), text);
});

function call(name: unknown): MirroredMessage {
  return { id: 1, method: 'tools/call', params: { name } };
}

test('the headers repeat a modern request', () => {
  const cases: readonly (readonly [MirroredMessage, Record<string, string>])[] = [
    [{ id: 0, method: 'tools/list' }, { [HEADER.method]: 'tools/list' }],
    [call('add'), { [HEADER.method]: 'tools/call', [HEADER.name]: 'add' }],
    [call('überall'), { [HEADER.method]: 'tools/call', [HEADER.name]: base64('überall') }],
    [call(7), { [HEADER.method]: 'tools/call' }],
    [
      { id: 'a', method: 'prompts/get', params: { name: 'greet', uri: 'x:y' } },
      { [HEADER.method]: 'prompts/get', [HEADER.name]: 'greet' },
    ],
    [
      { id: 'a', method: 'resources/read', params: { name: 'greet', uri: 'file:///a%20b' } },
      { [HEADER.method]: 'resources/read', [HEADER.name]: 'file:///a%20b' },
    ],
    [{ id: 1, method: 'completion/complete', params: { name: 'x' } }, { [HEADER.method]: 'completion/complete' }],
    [{ method: 'notifications/cancelled', params: { requestId: 1 } }, {}],
  ];
  for (const [message, headers] of cases) {
    assert.deepEqual(standardHeaders(message, '2026-07-28'), { [HEADER.version]: '2026-07-28', ...headers });
  }
});

test('a legacy request names only its version, since 2025-06-18; initialize does not', () => {
  const named = REVISIONS.filter((revision) => HEADER.version in standardHeaders(call('add'), revision));
  assert.deepEqual(named, ['2026-07-28', '2025-11-25', '2025-06-18']);
  for (const revision of LEGACY) {
    const expected = named.includes(revision) ? { [HEADER.version]: revision } : {};
    assert.deepEqual(standardHeaders(call('add'), revision), expected);
    assert.deepEqual(standardHeaders({ method: 'notifications/initialized' }, revision), expected);
    assert.deepEqual(standardHeaders(undefined, revision), expected);
    assert.deepEqual(standardHeaders({ id: 1, method: 'initialize' }, revision), {});
  }
});

test('[TASK-63] Mcp-Name repeats the id of a task', () => {
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const message = { id: 1, method, params: { taskId: 't' } };
    assert.equal(standardHeaders(message, '2026-07-28')[HEADER.name], 't');
    assert.equal(checkStandardHeaders(message, named('t', method), true), undefined);
    assert.equal(
      checkStandardHeaders(message, lookup({ 'Mcp-Method': method }), true),
      'The Mcp-Name header is missing',
    );
  }
});

function named(name: string, method = 'tools/call') {
  return lookup({ 'Mcp-Method': method, 'Mcp-Name': name });
}

test('[HTTP-31] [HTTP-33] [HTTP-35] [HTTP-37] required headers must be present and agree with the body', () => {
  const good = [
    named('echo'),
    named('  echo  '),
    named('=?base64?ZWNobw==?='),
    lookup({ 'mcp-method': 'tools/call', 'MCP-NAME': 'echo' }),
  ];
  for (const headers of good) assert.equal(checkStandardHeaders(call('echo'), headers, true), undefined);
  const bad: readonly (readonly [HeaderLookup, RegExp])[] = [
    [lookup({}), /^The Mcp-Method header is missing$/],
    [lookup({ 'Mcp-Name': 'echo' }), /^The Mcp-Method header is missing$/],
    [named('echo', 'tools/list'), /^The Mcp-Method header says 'tools\/list', the body 'tools\/call'$/],
    [named('echo', 'TOOLS/CALL'), /Mcp-Method/],
    [named('echo', 'tools/call, tools/call'), /Mcp-Method/],
    [named('echo', '=?base64?dG9vbHMvY2FsbA==?='), /Mcp-Method/],
    [lookup({ 'Mcp-Method': 'tools/call' }), /^The Mcp-Name header is missing$/],
    [named('add'), /^The Mcp-Name header says 'add', the body 'echo'$/],
    [named('Echo'), /Mcp-Name/],
    [named(''), /Mcp-Name/],
    [named('=?base64?ZWNobw?='), /invalid/],
    [named('ech\u00f6'), /invalid/],
  ];
  for (const [headers, message] of bad) assert.match(checkStandardHeaders(call('echo'), headers, true) ?? '', message);
  assert.match(checkStandardHeaders(call(undefined), named('add'), true) ?? '', /the body nothing$/);
  assert.match(
    checkStandardHeaders(
      { id: 1, method: 'resources/read', params: { uri: 'a:b', name: 'x' } },
      named('x', 'resources/read'),
      true,
    ) ?? '',
    /Mcp-Name/,
  );
});

test('optional headers must be correct if they are present', () => {
  assert.equal(checkStandardHeaders(call('echo'), lookup({}), false), undefined);
  assert.equal(checkStandardHeaders(call('echo'), lookup({ 'Mcp-Method': 'tools/call' }), false), undefined);
  assert.match(checkStandardHeaders(call('echo'), lookup({ 'Mcp-Method': 'tools/list' }), false) ?? '', /Mcp-Method/);
  assert.match(checkStandardHeaders(call('echo'), lookup({ 'Mcp-Name': 'safe_tool' }), false) ?? '', /Mcp-Name/);
  assert.equal(
    checkStandardHeaders({ id: 1, method: 'tools/list' }, lookup({ 'Mcp-Name': 'stray' }), true) ?? '',
    'The Mcp-Method header is missing',
  );
});

test('a server accepts what a client sends', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAME_SOURCES), fc.string({ unit: 'binary' }), ([method, source], name) => {
      const message = { id: 1, method, params: { [source]: name } };
      assert.equal(checkStandardHeaders(message, lookup(standardHeaders(message, '2026-07-28')), true), undefined);
    }),
  );
});

test('a request that names no revision is treated as one of 2025-03-26', () => {
  assert.equal(ASSUMED_REVISION, '2025-03-26');
});

test('the accepted header values are those that `fetch` accepts, and none that begins another header', () => {
  for (const value of [undefined, null, 7, ['a'], 'a\nb', 'a\rb', 'a\u0000', '\u001f', '\u007f', '日'])
    assert.equal(isFieldValue(value), false, JSON.stringify(value));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      if (isFieldValue(value)) assert.doesNotThrow(() => new Headers({ value }));
    }),
  );
});
