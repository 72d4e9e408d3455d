import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from 'tenon/http';
import { createVault } from '../src/vault.ts';

const KEYS = ['sixteen times two makes 32 signs'];

test('of two concurrent callers that take a value, one gets it', async () => {
  const vault = createVault(memoryStore(), KEYS, 'a');
  await vault.put('wish', '1', 'value', 60_000);
  const taken = await Promise.all([1, 2, 3].map(() => vault.take('wish', '1')));
  assert.deepEqual(
    taken.filter((value) => value !== undefined),
    ['value'],
  );
  assert.equal(await vault.get('wish', '1'), undefined);
  // The id is free again.
  await vault.put('wish', '1', 'another', 60_000);
  assert.equal(await vault.take('wish', '1'), 'another');
});

test('values of `keep` and `mark` are not removed to make room, values of `put` may be', async () => {
  const vault = createVault(memoryStore({ maxEntries: 5 }), KEYS, 'a');
  await vault.keep('grant', '1', 'first', 60_000);
  await vault.keep('grant', '1', 'second', 60_000);
  await vault.mark('ended', '1', 60_000);
  for (let count = 0; count < 20; count++) await vault.put('wish', String(count), count, 60_000);
  assert.equal(await vault.get('grant', '1'), 'second');
  assert.equal(await vault.isMarked('ended', '1'), true);
  assert.equal(await vault.get('wish', '0'), undefined);
  assert.equal(await vault.get('wish', '19'), 19);
});

test('a sealed value can be opened only as its own kind, by its owner', async () => {
  const [vault, other] = ['a', 'b'].map((owner) => createVault(memoryStore(), KEYS, owner));
  const sealed = await vault!.seal('refresh', { grant: '1' }, 60_000);
  assert.deepEqual(await vault!.open('refresh', sealed), { grant: '1' });
  assert.equal(await vault!.open('access', sealed), undefined);
  assert.equal(await other!.open('refresh', sealed), undefined);
  for (const wrong of [undefined, '', 'x', `${sealed}A`, sealed.slice(1)])
    assert.equal(await vault!.open('refresh', wrong), undefined);
});

test('a lock is held by one node at a time, and only its holder releases it', async () => {
  const store = memoryStore();
  const nodes = [1, 2, 3].map(() => createVault(store, KEYS, 'a'));
  let running = 0;
  const seen: number[] = [];
  const work = async (): Promise<void> => {
    seen.push(++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
  };
  await Promise.all(nodes.flatMap((node) => [node.withLock('grant', '1', work), node.withLock('grant', '1', work)]));
  assert.deepEqual(seen, [1, 1, 1, 1, 1, 1]);
  // Another node has taken the lock, since that of the first one has expired.
  const swapped = await nodes[0]!.withLock('grant', '1', async () => {
    const [key] = await store.keys('', undefined, 1);
    await store.set(key!, 'another', 60_000);
    return key!;
  });
  assert.equal(await store.get(swapped), 'another');
});
