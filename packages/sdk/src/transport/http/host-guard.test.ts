import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createGuard, type GuardOptions } from './host-guard.ts';
import { answerOptions, corsHeaders } from './cors.ts';
import { isAllInterfaces, isLoopback, readHost } from './host-names.ts';

const local = createGuard({ bound: '127.0.0.1' });
const PAGE = 'https://app.example.com';

test('by default the loopback names are allowed, on any port', () => {
  for (const guard of [
    createGuard(),
    local,
    createGuard({ bound: '::1' }),
    createGuard({ bound: 'localhost' }),
    createGuard({ bound: '[::1]' }),
  ]) {
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '127.0.0.1:3000',
      'localhost:3000',
      '[::1]:3000',
      'LOCALHOST:80',
      'localhost.:3000',
      '[0:0::1]:1',
      'localhost:',
    ]) {
      assert.equal(guard.refuses(host, undefined), undefined, host);
      assert.equal(guard.refuses(host, null), undefined, host);
    }
  }
});

const FOREIGN_HOSTS = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'evil-localhost',
  'localhost@evil.example',
  'evil.example@localhost',
  'localhost/evil',
  'localhost#evil',
  'localhost?x',
  'localhost\\@evil.example',
  'localhost, evil.example',
  'evil.example, localhost',
  ' localhost',
  'localhost ',
  'local\thost',
  'local%68ost',
  'ⓛocalhost',
  'localhost:3000:1',
  'localhost:x',
  'localhost:-1',
  'localhost:123456',
  '',
  ':3000',
  '0.0.0.0',
  '[::]',
  '[::1',
  '::1',
  '[::1]x',
  '[::ffff:127.0.0.1]',
  '127.0.0.2',
  '128.0.0.1',
  '..',
  '.',
];

test('any other host is refused, even one that only looks similar', () => {
  for (const host of [...FOREIGN_HOSTS, undefined, null])
    assert.equal(local.refuses(host, undefined), 'host', String(host));
});

test('pages of the machine itself are allowed, others are refused', () => {
  for (const origin of [
    'http://localhost',
    'http://localhost:5173',
    'https://127.0.0.1:8443',
    'http://[::1]:1',
    'HTTP://LOCALHOST:5173',
  ]) {
    assert.equal(local.refuses('127.0.0.1:3000', origin), undefined, origin);
  }
  for (const origin of [
    'http://evil.example',
    'null',
    '',
    'file://',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://evil.example#localhost',
    'http://localhost/',
    'localhost',
    '//localhost',
    'http://',
    'http:// localhost',
    'http://localhost, http://evil.example',
    'chrome-extension://abc',
    'ws://localhost',
    'https://0.0.0.0',
  ]) {
    assert.equal(local.refuses('127.0.0.1:3000', origin), 'origin', origin);
  }
});

test('a host that equals the origin is not enough', () => {
  assert.equal(local.refuses('evil.example:3000', 'http://evil.example:3000'), 'host');
  assert.equal(local.refuses('localhost:3000', 'http://evil.example:3000'), 'origin');
});

test('lists replace the default, and may restrict ports', () => {
  const guard = createGuard({
    bound: '127.0.0.1',
    allowedHosts: ['mcp.example.com', 'localhost:3000', 'Secure.example:443'],
    allowedOrigins: [PAGE, 'http://localhost:5173', 'https://plain.example:443', 'chrome-extension://AbC'],
  });
  for (const host of [
    'mcp.example.com',
    'MCP.example.com.:8080',
    'localhost:3000',
    'secure.example',
    'secure.example:443',
  ])
    assert.equal(guard.refuses(host, undefined), undefined, host);
  for (const host of ['localhost', 'localhost:3001', '127.0.0.1:3000', 'secure.example:444', 'a.mcp.example.com'])
    assert.equal(guard.refuses(host, undefined), 'host', host);
  for (const origin of [
    PAGE,
    'https://app.example.com:443',
    'http://localhost:5173',
    'https://plain.example',
    'chrome-extension://abc',
  ])
    assert.equal(guard.refuses('mcp.example.com', origin), undefined, origin);
  for (const origin of [
    'http://app.example.com',
    'https://app.example.com:8443',
    'http://localhost',
    'https://mcp.example.com',
    'http://plain.example',
  ])
    assert.equal(guard.refuses('mcp.example.com', origin), 'origin', origin);
});

test('without origins, pages of the named hosts are allowed', () => {
  const guard = createGuard({ allowedHosts: 'mcp.example.com, localhost:3000' });
  for (const origin of ['https://mcp.example.com', 'http://mcp.example.com:8080', 'http://localhost:3000'])
    assert.equal(guard.refuses('localhost:3000', origin), undefined, origin);
  for (const origin of ['http://localhost:3001', 'https://example.com', 'null'])
    assert.equal(guard.refuses('localhost:3000', origin), 'origin', origin);
});

test('an empty list leaves the default as it is', () => {
  for (const blank of [[], '', ' ', ',', [' ', ''], [','], ' , ,']) {
    for (const guard of [
      createGuard({ bound: '127.0.0.1', allowedHosts: blank, allowedOrigins: blank }),
      createGuard({ allowedHosts: blank, allowedOrigins: blank }),
    ]) {
      assert.equal(guard.refuses('localhost:1', undefined), undefined);
      assert.equal(guard.refuses('evil.example', undefined), 'host');
      assert.equal(guard.refuses('localhost:1', 'http://evil.example'), 'origin');
      assert.equal(guard.refuses('localhost:1', 'http://localhost:2'), undefined);
    }
  }
});

test('an entry that can match nothing is refused when the server starts', () => {
  for (const entry of ['*', '*.example.com', 'http://localhost', 'localhost/x', 'a b', '[::1', 'localhost:x', 'a@b'])
    assert.throws(() => createGuard({ allowedHosts: [entry] }), { name: 'TypeError', message: /is not a host/ }, entry);
  for (const entry of [
    '*',
    'null',
    'localhost:3000',
    'https://',
    'https://*.example.com',
    'https://app.example.com/',
    'https://a@b',
  ])
    assert.throws(
      () => createGuard({ allowedOrigins: [entry] }),
      { name: 'TypeError', message: /is not an origin/ },
      entry,
    );
});

test('a server that listens on one network address has that address as its host', () => {
  const guard = createGuard({ bound: '192.168.1.5' });
  assert.equal(guard.refuses('192.168.1.5:3000', undefined), undefined);
  assert.equal(guard.refuses('localhost:3000', undefined), 'host');
  assert.equal(createGuard({ bound: 'fe80::1%eth0' }).refuses('[fe80::1]:3000', undefined), undefined);
  assert.equal(createGuard({ bound: '127.0.0.2' }).refuses('127.0.0.2:3000', undefined), undefined);
  assert.equal(createGuard({ bound: 'nas.local' }).refuses('nas.local:3000', 'http://nas.local'), undefined);
});

const EVERYWHERE = [
  '0.0.0.0',
  '::',
  '0',
  '::0',
  '0:0::0',
  '0:0:0:0:0:0:0:0',
  '0x0.0.0.0',
  '::ffff:0.0.0.0',
  '::ffff:0:0',
  '0:0:0:0:0:ffff:0:0',
  '',
  ' ',
  '[::]',
  '[]',
  '*',
  '0x0',
  '00',
  '0.0',
  '000.000.000.000',
  '0.0.0.0.',
  '::0.0.0.0',
  '::%eth0',
  ' 0.0.0.0 ',
  '%30',
  '０',
];
const SOMEWHERE = [
  '127.0.0.1',
  'localhost',
  '::1',
  '192.168.0.1',
  '10.0.0.0',
  '0.0.0.1',
  '1',
  '::ffff:127.0.0.1',
  'fe80::',
  'example.com',
  'zero',
  '0.example',
  '::1:0',
];

test('every spelling of "all interfaces" is recognised', () => {
  for (const address of EVERYWHERE) assert.equal(isAllInterfaces(address), true, address);
  for (const address of SOMEWHERE) assert.equal(isAllInterfaces(address), false, address);
  for (const address of [...EVERYWHERE, '10.0.0.1', 'example.com', '::2', 'localhost.evil.example'])
    assert.equal(isLoopback(address), false, address);
  for (const address of [
    '127.0.0.1',
    '127.1',
    '127.8.9.1',
    'localhost',
    'LOCALHOST',
    '::1',
    '[::1]',
    '0:0::1',
    '::ffff:127.0.0.1',
  ])
    assert.equal(isLoopback(address), true, address);
});

test('listening on all interfaces needs `expose`, and names or tokens', () => {
  const refused = (options: GuardOptions, message: RegExp): void =>
    assert.throws(() => createGuard(options), { name: 'TypeError', message });
  for (const bound of EVERYWHERE) {
    refused({ bound }, /every network interface.*expose/);
    refused({ bound, allowedHosts: ['mcp.example.com'], authenticated: true }, /expose/);
    refused({ bound, expose: true }, /needs `allowedHosts`/);
    refused({ bound, expose: true, allowedHosts: ' , ' }, /needs `allowedHosts`/);
    const named = createGuard({ bound, expose: true, allowedHosts: ['mcp.example.com'] });
    assert.equal(named.refuses('mcp.example.com', undefined), undefined);
    assert.equal(named.refuses('localhost', undefined), 'host');
    const guarded = createGuard({ bound, expose: true, authenticated: true });
    assert.equal(guarded.refuses('10.0.0.7:3000', undefined), undefined);
    assert.equal(guarded.refuses('not a host', undefined), 'host');
    assert.equal(guarded.refuses('10.0.0.7:3000', 'http://10.0.0.7:3000'), 'origin');
  }
});

test('hosts are normalised before they are compared', () => {
  assert.deepEqual(readHost('LOCALHOST.:03000'), { name: 'localhost', port: '3000' });
  assert.deepEqual(readHost('[0:0::1]'), { name: '[::1]', port: '' });
  assert.deepEqual(readHost('0x7f.1:80'), { name: '127.0.0.1', port: '80' });
  assert.equal(readHost('a b'), undefined);
});

test('property: any request that passes has a known host', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(
        'localhost',
        '127.0.0.1',
        '[::1]',
        ':',
        '3000',
        '.',
        '@',
        'evil',
        '/',
        '%',
        'http://',
        ',',
        ' ',
      ),
    }),
  );
  fc.assert(
    fc.property(text, text, (host, origin) => {
      const refused = local.refuses(host, origin);
      if (refused !== 'host') assert.match(host, /^(?:127\.0*0\.0\.0*1|localhost|\[::1\])\.?(?::\d{0,5})?$/i);
      if (refused === undefined)
        assert.match(origin, /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])\.?(?::\d{0,5})?$/i);
    }),
    { numRuns: 5000 },
  );
});

test('a request that passed does not make a different one pass', () => {
  const guard = createGuard();
  for (let round = 0; round < 2; round++) {
    assert.equal(guard.refuses('localhost:3000', 'http://localhost:3000'), undefined);
    assert.equal(guard.refuses('evil.example', 'http://localhost:3000'), 'host');
    assert.equal(guard.refuses('localhost:3000', 'http://evil.example'), 'origin');
  }
});

test('an allowed page may read the response: its origin is named, never `*`, and credentials are not allowed', () => {
  const headers = corsHeaders(local, 'http://localhost:5173');
  assert.deepEqual(headers, {
    'access-control-allow-origin': 'http://localhost:5173',
    'access-control-expose-headers': 'mcp-session-id, retry-after, www-authenticate',
    vary: 'Origin',
  });
  for (const origin of [undefined, null, 'http://evil.example', 'null', '*'])
    assert.deepEqual(corsHeaders(local, origin), {});
});

const METHODS = ['GET', 'POST', 'DELETE'];

test('a preflight of an allowed page allows the headers that clients send', () => {
  const { status, headers } = answerOptions(
    local,
    'http://localhost:5173',
    'content-type, Mcp-Method,MCP-Param-Region, x-other,mcp-param-,mcp-param-a b',
    METHODS,
  );
  assert.equal(status, 204);
  assert.equal(headers['access-control-allow-origin'], 'http://localhost:5173');
  assert.equal(headers['access-control-allow-methods'], 'GET, POST, DELETE');
  assert.deepEqual(
    new Set(headers['access-control-allow-headers']?.split(', ')),
    new Set([
      'accept',
      'authorization',
      'content-type',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'mcp-session-id',
      'last-event-id',
      'mcp-param-region',
    ]),
  );
  assert.equal(headers['access-control-allow-credentials'], undefined);
  assert.ok(!Object.values(headers).some((value) => value.includes('*')));
});

test('a preflight of any other page allows nothing', () => {
  for (const origin of ['http://evil.example', 'null', '']) {
    assert.deepEqual(answerOptions(local, origin, 'content-type', METHODS), { status: 403, headers: {} });
  }
});

test('an OPTIONS request that is not from a page gets the methods', () => {
  assert.deepEqual(answerOptions(local, undefined, undefined, ['POST']), { status: 204, headers: { allow: 'POST' } });
});
