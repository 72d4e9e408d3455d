import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { DefinitionError, resource, server } from '../../src/entries/index.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { app } from './app.ts';
import { type Cell, everywhere, inCell, legacy, modern } from './cells.ts';
import { everywhereRaw } from './raw.ts';

function notFound(cell: Cell): number {
  return legacy(cell) ? -32002 : -32602;
}

const FIXED = [
  'suite://setting',
  'suite://bytes',
  'suite://json',
  'suite://gone',
  'suite://empty',
  'suite://broken',
  'suite://chatty',
  'suite://asks',
];

everywhere('resources are listed in order, including those that a template lists', async ({ client }) => {
  const resources = await client.resources().all();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    [...FIXED, 'item:///a/1'],
  );
});

everywhere(
  '[RES-3] the list of resources does not depend on the connection, or on earlier requests',
  async ({ client, cell }) => {
    const uris = async (from: typeof client) => (await from.resources({ fresh: true }).all()).map(({ uri }) => uri);
    const before = await uris(client);
    await client.read('suite://setting');
    await client.read('item:///a/1');
    await client.call('add', { a: 1, b: 2 });
    await assert.rejects(client.read('suite://gone'));
    assert.deepEqual(await uris(client), before);
    await inCell(cell, async ({ client: other }) => assert.deepEqual(await uris(other), before), {
      alone: true,
      connect: { info: { name: 'another', version: '9' } },
    });
  },
);

everywhere('[RES-8] templates are listed, in the syntax of RFC 6570', async ({ client }) => {
  const templates = await client.templates().all();
  assert.deepEqual(
    templates.map(({ uriTemplate, name }) => [uriTemplate, name]),
    [
      ['item:///{kind}/{id}', 'item'],
      ['item:///exact/{id}', 'exact'],
      ['file:///{+path}', 'file'],
    ],
  );
});

everywhere('members of a resource are sent to revisions that know them', async ({ client, cell }) => {
  const features = featuresOf(cell.revision);
  const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }];
  const [setting] = await client.resources().all();
  assert.deepEqual(setting, {
    uri: 'suite://setting',
    name: 'setting',
    description: 'Light or dark',
    mimeType: 'text/plain',
    size: 5,
    annotations: {
      audience: ['user'],
      priority: 1,
      ...(features.lastModified ? { lastModified: '2026-01-01T00:00:00Z' } : {}),
    },
    ...(features.title ? { title: 'Setting' } : {}),
    ...(features.icons ? { icons } : {}),
    ...(features.entityMeta ? { _meta: { 'com.example/kind': 'setting' } } : {}),
  });
  const [item] = await client.templates().all();
  assert.equal(item?.title, features.title ? 'Items' : undefined);
  assert.equal(item?.mimeType, 'text/plain');
});

everywhere('[RES-7] a text is read as text', async ({ client }) => {
  const { contents } = await client.read('suite://setting');
  assert.deepEqual(contents, [{ uri: 'suite://setting', mimeType: 'text/plain', text: 'dark' }]);
});

everywhere('[RES-7, RES-19] bytes are read as base64', async ({ client }) => {
  const { contents } = await client.read('suite://bytes');
  assert.deepEqual(contents, [{ uri: 'suite://bytes', mimeType: 'application/octet-stream', blob: '+/8AAQ==' }]);
});

everywhere('a value is read as JSON', async ({ client }) => {
  const { contents } = await client.read('suite://json');
  assert.deepEqual(contents, [{ uri: 'suite://json', mimeType: 'application/json', text: '{"a":1}' }]);
});

everywhere('a resource may have several contents, with _meta for revisions that know it', async ({ client, cell }) => {
  const { contents } = await client.read('item:///many/2');
  const meta = featuresOf(cell.revision).entityMeta ? { _meta: { 'com.example/part': 1 } } : {};
  assert.deepEqual(contents, [
    { uri: 'item:///many/2#0', text: 'part 0' },
    { uri: 'item:///many/2#1', mimeType: 'text/plain', text: 'part 1', ...meta },
  ]);
});

everywhere('variables of a template are decoded, and the more specific template wins', async ({ client }) => {
  const read = async (uri: string) => (await client.read(uri)).contents[0]!.text;
  assert.equal(await read('item:///a%2Fb/%C3%A9%20c'), 'a/b é c');
  assert.equal(await read('item:///__proto__/constructor'), '__proto__ constructor');
  assert.equal(await read('file:///home/a%20b/c.txt'), 'home/a b/c.txt');
  assert.equal(await read('item:///exact/one'), 'the exact one');
});

everywhereRaw(
  '[RES-12, RES-13] an unknown resource is an error with the code of the revision and the URI',
  async (raw) => {
    for (const uri of [
      'suite://unknown',
      'item:///only-one',
      'suite://',
      'suite://setting/',
      'SUITE://setting',
      'suite://__proto__',
    ]) {
      const { error } = await raw.request('resources/read', { uri });
      assert.equal(error?.code, notFound(raw.cell), uri);
      assert.deepEqual(error?.data, { uri });
    }
  },
);

everywhereRaw('[RES-16] a resource whose handler returns nothing is an error, never empty contents', async (raw) => {
  const { error, result } = await raw.request('resources/read', { uri: 'suite://gone' });
  assert.equal(result, undefined);
  assert.equal(error?.code, notFound(raw.cell));
  // An empty array is a value, not empty contents.
  const empty = await raw.request('resources/read', { uri: 'suite://empty' });
  assert.deepEqual(empty.result?.['contents'], [{ uri: 'suite://empty', mimeType: 'application/json', text: '[]' }]);
});

everywhereRaw(
  '[RES-17] an invalid URI is refused before anything is looked up',
  async (raw) => {
    for (const uri of [undefined, null, 5, {}, ['suite://setting']]) {
      const { error } = await raw.request('resources/read', { uri });
      assert.equal(error?.code, -32602, JSON.stringify(uri));
    }
    for (const uri of [
      'nothing',
      '',
      '__proto__',
      '/etc/passwd',
      'item:///a/1\n',
      'item:///a/\u0000',
      '1tem:///a/1',
      ' item:///a/1',
    ]) {
      const { error } = await raw.request('resources/read', { uri });
      assert.equal(error?.code, notFound(raw.cell), uri);
      assert.match(error?.message ?? '', /it is not a URI/);
    }
  },
  { hostile: true },
);

everywhereRaw('[RES-12, RES-14] an exception is -32603 without internal details', async (raw) => {
  const { error } = await raw.request('resources/read', { uri: 'suite://broken' });
  assert.equal(error?.code, -32603);
  assert.match(error?.message ?? '', /error [0-9a-f]{8}/);
  assert.doesNotMatch(JSON.stringify(raw.received), /SECRETPW/);
  await raw.settled();
  assert.match(raw.log.join('\n'), /SECRETPW/, 'the operator reads it');
});

const CLIMBING = [
  'file:///../etc/passwd',
  'file:///a/../../etc/passwd',
  'file:///a/..',
  'file:///%2e%2e/etc/passwd',
  'file:///a/.%2E/b',
  'file:///a%2F..%2F..%2Fetc',
  'file:///a/..%5C..%5Cetc',
  'file:///a/..%5Cetc',
  'FILE:///../etc/passwd',
  'file:///a%00.txt',
];

everywhereRaw('[RES-20] a file URI with ".." in its path reaches no handler', async (raw) => {
  for (const uri of CLIMBING) {
    const { error } = await raw.request('resources/read', { uri });
    assert.equal(error?.code, notFound(raw.cell), uri);
  }
  for (const uri of ['file:///a/..b/c', 'file:///a/b..', 'file:///a/.../b', 'file:///a/.hidden']) {
    const { result } = await raw.request('resources/read', { uri });
    assert.equal(result?.['contents'][0].text, uri.slice('file:///'.length), uri);
  }
});

everywhereRaw(
  '[CACHE-1, CACHE-2, CACHE-3] the author decides how long a result may be cached; the default is not at all',
  async (raw) => {
    const hints = async (method: string, params?: object) => {
      const { result } = await raw.request(method, params);
      return { ttlMs: result?.['ttlMs'], cacheScope: result?.['cacheScope'] };
    };
    assert.deepEqual(await hints('resources/read', { uri: 'suite://setting' }), {
      ttlMs: 60_000,
      cacheScope: 'public',
    });
    assert.deepEqual(await hints('resources/read', { uri: 'suite://json' }), { ttlMs: 0, cacheScope: 'private' });
    for (const method of [
      'server/discover',
      'tools/list',
      'resources/list',
      'resources/templates/list',
      'prompts/list',
    ]) {
      assert.deepEqual(await hints(method), { ttlMs: 0, cacheScope: 'private' }, method);
    }
  },
  { only: modern },
);

test('a URI without the encoding that RFC 3986 requires is accepted nevertheless', async () => {
  await using client = await connect(app());
  assert.equal((await client.read('item:///é/b c')).contents[0]!.text, 'é b c');
});

test('[RES-11] a URI without a valid scheme is refused when the resource is defined', () => {
  const any = resource({ name: 'any' }, () => 'x');
  for (const uri of [
    'config',
    '/config',
    '1a://x',
    'my_scheme://x',
    'my scheme://x',
    ':x',
    'é://x',
    'a b',
    'ok://with space',
    'ok://back\\slash',
    'ok://a%zz',
    'ok://<x>',
    'x://é',
  ]) {
    assert.throws(() => server({ name: 'x', resources: { [uri]: any } }), DefinitionError, uri);
  }
  for (const uri of ['config:app', 'a+b-c.d:x', 'urn:isbn:0451450523', 'file:///a%20b#c?d', 'x://é/{a}'])
    assert.ok(server({ name: 'x', resources: { [uri]: any } }));
});

test('an invalid resource is refused when it is defined', () => {
  const any = () => 'x';
  const bad: [string, object][] = [
    ['x://a', { name: 'a', list: () => [] }],
    ['x://a', { name: 'a', complete: { a: [] } }],
    ['x://{a}', { name: 'a', complete: { b: [] } }],
    ['x://{a', { name: 'a' }],
    ['x://a', { name: 'a', _meta: { 'io.modelcontextprotocol/x': 1 } }],
  ];
  for (const [uri, options] of bad) {
    assert.throws(
      () => server({ name: 'x', resources: { [uri]: resource(options as { name: string }, any) } }),
      DefinitionError,
      uri,
    );
  }
});
