import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../store/memory.ts';
import { tokensIn } from './tokens-in.ts';

const GRANT = { issuer: 'https://as.example.com', clientId: 'a', accessToken: 'token', tokenType: 'Bearer' } as const;

test('credentials in a store are shared by all processes that use it, until they are deleted', async () => {
  const store = memoryStore();
  const [one, two] = [tokensIn(store), tokensIn(store)];
  const key = 'https://example.com/mcp at https://as.example.com';
  assert.equal(await two.get(key), undefined);
  await one.set(key, GRANT);
  assert.deepEqual(await two.get(key), GRANT);
  await two.set(key, { ...GRANT, accessToken: 'newer' });
  assert.equal((await one.get(key))?.accessToken, 'newer');
  await one.delete(key);
  assert.equal(await two.get(key), undefined);
});

test('the credentials of a server are found under its own key only, and a stored value that is not a grant is ignored', async () => {
  const store = memoryStore();
  const tokens = tokensIn(store);
  await tokens.set('https://a.example', GRANT);
  for (const key of ['https://a.example/', 'https://a.exampl', 'https://a.example%2F', '__proto__'])
    assert.equal(await tokens.get(key), undefined, key);
  await store.set(`token/${encodeURIComponent('https://b.example')}`, { accessToken: 'x' }, 1_000);
  assert.equal(await tokens.get('https://b.example'), undefined, 'without an issuer');
});

test('a lock of one process excludes the others', async () => {
  const store = memoryStore();
  const order: string[] = [];
  await Promise.all(
    ['a', 'b'].map((name) =>
      tokensIn(store).lock!('server', async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => void setImmediate(resolve));
        order.push(`${name} ends`);
      }),
    ),
  );
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('with keys, credentials are stored encrypted, and are missing for everyone who has none of the keys', async () => {
  const store = memoryStore();
  const [old, young] = ['an old key of some length', 'a young key of some length'];
  const key = 'https://a.example';
  const stored = (): unknown => store.get(`token/${encodeURIComponent(key)}`);
  await tokensIn(store, { keys: [old] }).set(key, GRANT);
  assert.doesNotMatch(JSON.stringify(stored()), /token"|example/);
  const rotated = tokensIn(store, { keys: [young, old] });
  assert.deepEqual(await rotated.get(key), GRANT);
  assert.equal(await tokensIn(store, { keys: [young] }).get(key), undefined);
  assert.equal(await tokensIn(store).get(key), undefined);
  // The next change seals them with the new key.
  await rotated.set(key, GRANT);
  assert.deepEqual(await tokensIn(store, { keys: [young] }).get(key), GRANT);
  // A value that was copied from another server's entry, or stored without encryption, is ignored.
  await store.set(`token/${encodeURIComponent('https://b.example')}`, stored(), 1_000);
  assert.equal(await rotated.get('https://b.example'), undefined);
  await tokensIn(store).set('https://c.example', GRANT);
  assert.equal(await rotated.get('https://c.example'), undefined);
  for (const keys of [[], ['short']]) assert.throws(() => tokensIn(store, { keys }), TypeError);
});
