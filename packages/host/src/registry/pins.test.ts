import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEntry } from 'tenon/client';
import type { Keep } from '../state/keep.ts';
import { createMemoryKeep } from '../state/memory-keep.ts';
import { createPins } from './pins.ts';

const entry = (name: string, description = name): ToolEntry => ({ name, description, inputSchema: { type: 'object' } });
const many = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => entry(`${prefix}${index}`));

/** Counts what is kept, and what is read. */
const counted = (): { keep: Keep; kept: Set<string>; reads: () => number } => {
  const keep = createMemoryKeep();
  const kept = new Set<string>();
  let reads = 0;
  return {
    kept,
    reads: () => reads,
    keep: {
      ...keep,
      get: (name) => (reads++, keep.get(name)),
      put: (name, value) => (kept.add(name), keep.put(name, value)),
      remove: (name) => (kept.delete(name), keep.remove(name)),
    },
  };
};

test('a server with ever-new names filled the disk', async () => {
  const { keep, kept } = counted();
  let now = 0;
  const pins = createPins(keep, 20, () => now++);
  for (let round = 0; round < 50; round++) await pins.changedOf('x', [entry('stays'), ...many(`${round}-`, 5)]);
  assert.ok(kept.size <= 20 + 6, `${kept.size} pins`);
  // What is listed keeps its pin, however old.
  const again = createPins(keep);
  assert.equal((await again.changedOf('x', [entry('stays', 'EVIL')])).get('stays')?.before?.description, 'stays');
  // So does what vanished lately: a tool that comes back is not new.
  assert.equal((await again.changedOf('x', [entry('49-0', 'EVIL')])).size, 1);
  assert.equal((await again.changedOf('x', [entry('0-0', 'EVIL')])).size, 0);
});

test('refusals go with their pins', async () => {
  const { keep, kept } = counted();
  const pins = createPins(keep, 10);
  await pins.changedOf('x', many('old', 10));
  for (const { name } of many('old', 10)) await pins.refuse('x', entry(name, 'EVIL'));
  for (let round = 0; round < 5; round++) await pins.changedOf('x', many(`${round}-`, 10));
  assert.equal([...kept].filter((name) => name.endsWith('-refused')).length, 0);
});

test('exactly what was refused is refused, also for a later host', async () => {
  const { keep } = counted();
  const pins = createPins(keep);
  await pins.refuse('x', entry('a', 'EVIL'));
  await pins.refuse('x', entry('a', 'EVIL too'));
  for (const each of [pins, createPins(keep)]) {
    assert.equal(await each.isRefused('x', entry('a', 'EVIL')), true);
    assert.equal(await each.isRefused('x', entry('a', 'EVIL too')), true);
    assert.equal(await each.isRefused('x', entry('a', 'Good')), false);
    assert.equal(await each.isRefused('y', entry('a', 'EVIL')), false);
  }
});

test('two hosts on one folder undid each other’s approvals', async () => {
  const { keep } = counted();
  const tools = many('t', 4);
  const hosts = [createPins(keep), createPins(keep)];
  for (const host of hosts) await host.changedOf('x', tools);
  const changed = tools.map(({ name }) => entry(name, 'changed'));
  await Promise.all(changed.map((one, index) => hosts[index % 2]!.approve('x', one)));
  assert.equal((await createPins(keep).changedOf('x', changed)).size, 0);
  // What the other one approved is approved here, too.
  assert.equal((await hosts[0]!.changedOf('x', changed)).size, 0);
});

test('what is known to be approved is not read again', async () => {
  const { keep, reads } = counted();
  const pins = createPins(keep);
  await pins.changedOf('x', many('t', 100));
  const before = reads();
  await pins.changedOf('x', many('t', 100));
  assert.equal(reads(), before);
});

test('a pin that cannot be written lets nothing through', async () => {
  const keep: Keep = { ...createMemoryKeep(), put: () => Promise.reject(new Error('disk full')) };
  const pins = createPins(keep);
  await assert.rejects(pins.changedOf('x', many('t', 3)), /disk full/);
  await assert.rejects(pins.changedOf('x', many('t', 3)), /disk full/);
});

test('a pin that cannot be read hides no change, and no other tool', async () => {
  const { keep, kept } = counted();
  await createPins(keep).changedOf('x', [entry('a')]);
  const [name] = kept;
  for (const broken of [null, 'text', { pin: 3 }, [], { pin: 'a', entry: { icons: 3, name: 'a' }, at: 1 }]) {
    await keep.put(name!, broken);
    const pins = createPins(keep);
    const changed = await pins.changedOf('x', [entry('a', 'EVIL'), entry('b')]);
    assert.deepEqual([...changed.keys()], ['a']);
    assert.equal(changed.get('a')!.before, undefined);
    assert.ok(changed.get('a')!.unreadable);
    await pins.approve('x', entry('a', 'EVIL'));
    assert.equal((await createPins(keep).changedOf('x', [entry('a', 'EVIL'), entry('b')])).size, 0);
  }
  // Where what was refused cannot be read, the person is asked again.
  await keep.put(`${name!}-refused`, null);
  assert.equal(await createPins(keep).isRefused('x', entry('a')), false);
});
