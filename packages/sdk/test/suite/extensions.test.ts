// Extensions of the protocol that a provider implements.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { type Provider, revisions, server } from '../../src/entries/index.ts';
import { featuresOf } from '../../src/protocol/revision.ts';

const ID = 'com.example/search';
function provider(id = ID, method = 'example/search'): Provider {
  return { extension: { id, settings: { fuzzy: true }, methods: { [method]: () => ({ hits: 1 }) } } };
}

for (const revision of revisions) {
  const has = featuresOf(revision).extensions;
  test(`[VERS-18] ${revision}: the extension of a provider is ${has ? 'declared, and its methods are answered' : 'unknown'}`, async () => {
    const app = server({
      name: 'x',
      providers: [provider()],
      extensions: { 'com.example/other': {} },
      methods: { 'acme/own': () => ({}) },
    });
    await using client = await connect(app, { revision });
    const declared = { 'com.example/other': {}, [ID]: { fuzzy: true } };
    assert.deepEqual(client.capabilities.extensions, has ? declared : undefined);
    const sent = client.request('example/search');
    if (has) assert.equal((await sent)['hits'], 1);
    else await assert.rejects(sent, { code: -32601 });
    await client.request('acme/own');
  });
}

test('an extension that adds no method is declared', async () => {
  const app = server({ name: 'x', providers: [{ extension: { id: ID, settings: {} } }] });
  await using client = await connect(app);
  assert.deepEqual(client.capabilities.extensions, { [ID]: {} });
});

test('two extensions that answer one method, and one that takes a method of the protocol, are refused', () => {
  const refused = { name: 'DefinitionError', code: 'invalid-definition' };
  const both = [provider(), provider('com.example/two')];
  assert.throws(() => server({ name: 'x', providers: both }), { ...refused, message: /two of its parts answer/ });
  const own = { 'example/search': () => ({}) };
  assert.throws(() => server({ name: 'x', providers: [provider()], methods: own }), refused);
  assert.throws(() => server({ name: 'x', providers: [provider(ID, 'tools/call')] }), refused);
});

test('middleware runs around the methods of extensions', async () => {
  const app = server({ name: 'x', providers: [provider()] });
  const seen: string[] = [];
  app.use({
    'example/search': (call, next) => {
      seen.push(call.method);
      return next();
    },
  });
  await using client = await connect(app);
  await client.request('example/search');
  assert.deepEqual(seen, ['example/search']);
});
