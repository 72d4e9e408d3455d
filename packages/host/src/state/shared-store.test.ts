import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from 'tenon/http';
import { server, tool } from 'tenon';
import { createHost, type Item } from '../index.ts';
import { createMemoryStore } from './memory-store.ts';
import { createSharedStore } from './shared-store.ts';

test('the state of a host in a store is read, listed, removed and quarantined as in memory', async () => {
  const shared = memoryStore();
  for (const store of [createMemoryStore(), createSharedStore(shared)]) {
    await store.put('grants', [1]);
    for (const name of ['b', 'a', 'c']) await store.put(`pending/${name}`, { name });
    await store.put('pending/a', { name: 'newer' });
    assert.deepEqual(await store.get('grants'), [1]);
    assert.deepEqual(await store.get('pending/a'), { name: 'newer' });
    assert.equal(await store.get('pending/none'), undefined);
    assert.deepEqual(await store.list('pending'), ['a', 'b', 'c']);
    assert.deepEqual(await store.list('nothing'), []);
    await store.remove('pending/b');
    await store.quarantine('pending/c');
    await store.quarantine('pending/none');
    assert.deepEqual(await store.list('pending'), ['a']);
    for (const wrong of ['', '../a', 'a b', 'a/b/c/d']) await assert.rejects(store.get(wrong), TypeError, wrong);
  }
  assert.deepEqual(await shared.get('host-aside/pending/c'), { name: 'c' }, 'a person can still look at it');
});

test('watchers are notified of changes', async () => {
  const shared = memoryStore();
  const store = createSharedStore(shared);
  let changes = 0;
  const stop = store.watch('pending', () => void changes++);
  await store.put('pending/a', 1);
  await store.put('other/a', 1);
  assert.equal(changes, 1);
  stop();
  await store.put('pending/b', 1);
  assert.equal(changes, 1);
});

test('a permanent approval is remembered by the next host with the same store', async () => {
  const state = memoryStore();
  const app = server({ name: 'x', version: '1.0.0', tools: { run: tool({}, () => 'ran') } });
  const asked: Item[] = [];
  const run = async (): Promise<void> => {
    await using host = await createHost({
      servers: { x: app },
      state,
      approve: (item) => (asked.push(item), { allow: true, scope: 'always' }),
    });
    await host.start();
    assert.notEqual((await host.call('x__run', {})).isError, true);
  };
  await run();
  const before = asked.length;
  assert.ok(before > 0);
  await run();
  assert.equal(asked.length, before, 'nothing was asked again');
});

test('a `state` that is neither a folder nor a store is refused', async () => {
  for (const state of ['', 5, {}, null])
    await assert.rejects(
      createHost({ servers: {}, state: state as never }),
      /must be a path that is not empty, or a store/,
    );
});
