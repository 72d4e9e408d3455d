import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEntry } from 'tenon/client';
import type { StateStore } from '../state/state-store.ts';
import { createMemoryStore } from '../state/memory-store.ts';
import { createPins } from './pins.ts';

function entry(name: string, description = name): ToolEntry {
  return { name, description, inputSchema: { type: 'object' } };
}
function many(prefix: string, count: number) {
  return Array.from({ length: count }, (_, index) => entry(`${prefix}${index}`));
}

/** A store that records stored values, and counts reads. */
function counted(): { store: StateStore; kept: Set<string>; reads: () => number } {
  const store = createMemoryStore();
  const kept = new Set<string>();
  let reads = 0;
  return {
    kept,
    reads: () => reads,
    store: {
      ...store,
      get: (name) => (reads++, store.get(name)),
      put: (name, value) => (kept.add(name), store.put(name, value)),
      remove: (name) => (kept.delete(name), store.remove(name)),
    },
  };
}

test('a server with ever new tool names cannot fill the disk', async () => {
  const { store, kept } = counted();
  let now = 0;
  const pins = createPins(store, 20, () => now++);
  for (let round = 0; round < 50; round++) await pins.changedOf('x', [entry('stays'), ...many(`${round}-`, 5)]);
  assert.ok(kept.size <= 20 + 6, `${kept.size} pins`);
  // A listed tool keeps its pin, however old.
  const again = createPins(store);
  assert.equal((await again.changedOf('x', [entry('stays', 'EVIL')])).get('stays')?.before?.description, 'stays');
  // So does a tool that disappeared recently: when it returns, it is not new.
  assert.equal((await again.changedOf('x', [entry('49-0', 'EVIL')])).size, 1);
  assert.equal((await again.changedOf('x', [entry('0-0', 'EVIL')])).size, 0);
});

test('refusals are removed together with their pins', async () => {
  const { store, kept } = counted();
  let now = 0;
  const pins = createPins(store, 10, () => now++);
  await pins.changedOf('x', many('old', 10));
  for (const { name } of many('old', 10)) await pins.refuse('x', entry(name, 'EVIL'));
  for (let round = 0; round < 5; round++) await pins.changedOf('x', many(`${round}-`, 10));
  assert.equal([...kept].filter((name) => name.endsWith('-refused')).length, 0);
});

test('exactly the refused version stays refused, also for a later host', async () => {
  const { store } = counted();
  const pins = createPins(store);
  await pins.refuse('x', entry('a', 'EVIL'));
  await pins.refuse('x', entry('a', 'EVIL too'));
  for (const each of [pins, createPins(store)]) {
    assert.equal(await each.isRefused('x', entry('a', 'EVIL')), true);
    assert.equal(await each.isRefused('x', entry('a', 'EVIL too')), true);
    assert.equal(await each.isRefused('x', entry('a', 'Good')), false);
    assert.equal(await each.isRefused('y', entry('a', 'EVIL')), false);
  }
});

test('two hosts on one folder do not overwrite each other’s approvals', async () => {
  const { store } = counted();
  const tools = many('t', 4);
  const hosts = [createPins(store), createPins(store)];
  for (const host of hosts) await host.changedOf('x', tools);
  const changed = tools.map(({ name }) => entry(name, 'changed'));
  await Promise.all(changed.map((one, index) => hosts[index % 2]!.approve('x', one)));
  assert.equal((await createPins(store).changedOf('x', changed)).size, 0);
  // An approval of the other host applies here, too.
  assert.equal((await hosts[0]!.changedOf('x', changed)).size, 0);
});

test('pins that are known to be approved are not read again', async () => {
  const { store, reads } = counted();
  const pins = createPins(store);
  await pins.changedOf('x', many('t', 100));
  const before = reads();
  await pins.changedOf('x', many('t', 100));
  assert.equal(reads(), before);
});

test('a tool whose pin cannot be written is not available', async () => {
  const store: StateStore = { ...createMemoryStore(), put: () => Promise.reject(new Error('disk full')) };
  const pins = createPins(store);
  await assert.rejects(pins.changedOf('x', many('t', 3)), /disk full/);
  await assert.rejects(pins.changedOf('x', many('t', 3)), /disk full/);
});

test('an unreadable pin neither hides a change nor affects other tools', async () => {
  const { store, kept } = counted();
  await createPins(store).changedOf('x', [entry('a')]);
  const [name] = kept;
  for (const broken of [null, 'text', { pin: 3 }, [], { pin: 'a', entry: { icons: 3, name: 'a' }, at: 1 }]) {
    await store.put(name!, broken);
    const pins = createPins(store);
    const changed = await pins.changedOf('x', [entry('a', 'EVIL'), entry('b')]);
    assert.deepEqual([...changed.keys()], ['a']);
    assert.equal(changed.get('a')!.before, undefined);
    assert.ok(changed.get('a')!.unreadable);
    await pins.approve('x', entry('a', 'EVIL'));
    assert.equal((await createPins(store).changedOf('x', [entry('a', 'EVIL'), entry('b')])).size, 0);
  }
  // If the refused versions cannot be read, the person is asked again.
  await store.put(`${name!}-refused`, null);
  assert.equal(await createPins(store).isRefused('x', entry('a')), false);
});
