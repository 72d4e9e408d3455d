import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ToolEntry } from 'tenon/client';
import { createFolderStore } from '../state/folder-store.ts';
import type { ToolChoice } from '../config/server-config.ts';
import type { StateStore } from '../state/state-store.ts';
import { createMemoryStore } from '../state/memory-store.ts';
import type { Lists } from './lists.ts';
import { Registry } from './registry.ts';

function entry(name: string, description: string): ToolEntry {
  return {
    name,
    description,
    inputSchema: { type: 'object' },
  };
}

function lists(tools: Readonly<Record<string, string>>): Lists {
  return {
    tools: Object.entries(tools).map(([name, description]) => entry(name, description)),
    resources: [],
    templates: [],
    prompts: [],
  };
}

/** Updates the lists. Returns their problems, and the changed tools. */
async function take(registry: Registry, ...given: [lists: Lists, choice?: ToolChoice]) {
  const problems = await registry.update('x', ...given);
  return { problems, changed: registry.changedOf('x').tools };
}

/** A store with delays, like a disk. */
function slowKeep(): StateStore {
  const store = createMemoryStore();
  const slow = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    ...store,
    get: (name) => slow(2).then(() => store.get(name)),
    put: (name, value) => slow(10).then(() => store.put(name, value)),
  };
}

function descriptions(registry: Registry): Record<string, string | undefined> {
  return Object.fromEntries(registry.tools().map(({ entry: { name, description } }) => [name, description]));
}

async function changedRegistry(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const registry = new Registry(slowKeep(), ['x']);
  await registry.update('x', lists(before));
  const { changed } = await take(registry, lists(after));
  return { registry, changed };
}

test('[A-84] tools that are approved concurrently all become available', async () => {
  const after = { a: 'a2', b: 'b2', c: 'c2' };
  const { registry, changed } = await changedRegistry({ a: 'a1', b: 'b1', c: 'c1' }, after);
  assert.deepEqual([changed.length, registry.tools()], [3, []]);
  assert.deepEqual(await Promise.all(changed.map((one) => registry.approve(one))), [true, true, true]);
  assert.deepEqual(descriptions(registry), after);
  assert.deepEqual((await take(registry, lists(after))).changed, []);
});

test('[A-84] a tool that changes while another one is approved cannot be called until it is approved, too', async () => {
  const { registry, changed } = await changedRegistry({ a: 'a1', b: 'b1' }, { a: 'a2', b: 'b1' });
  const [, taken] = await Promise.all([registry.approve(changed[0]!), take(registry, lists({ a: 'a2', b: 'EVIL' }))]);
  assert.deepEqual(descriptions(registry), { a: 'a2' });
  assert.equal(taken.changed[0]?.tool.entry.description, 'EVIL');
  assert.equal(registry.find('x__b')?.changed?.before?.description, 'b1');
});

test('a tool that changed again in the meantime is not approved', async () => {
  const { registry, changed } = await changedRegistry({ a: 'a1' }, { a: 'a2' });
  const [, approved] = await Promise.all([registry.update('x', lists({ a: 'EVIL' })), registry.approve(changed[0]!)]);
  assert.equal(approved, false);
  assert.deepEqual(registry.tools(), []);
});

test('operations in progress do not add a dropped server again', async () => {
  const { registry, changed } = await changedRegistry({ a: 'a1', b: 'b' }, { a: 'a2', b: 'b' });
  const busy = [registry.approve(changed[0]!), registry.update('x', lists({ a: 'a2', b: 'b' }))] as const;
  registry.drop('x');
  assert.deepEqual(registry.tools(), [], 'at once');
  await Promise.all(busy);
  assert.deepEqual(registry.tools(), []);
  assert.equal(registry.find('x__b'), undefined);
  // The approval is not lost.
  const { changed: still } = await take(registry, lists({ a: 'a2', b: 'b' }));
  assert.deepEqual([still.length, Object.keys(descriptions(registry))], [0, ['a', 'b']]);
});

test('a failed operation does not affect the next one', async () => {
  const store = createMemoryStore();
  let isFull = true;
  const registry = new Registry(
    { ...store, put: (name, value) => (isFull ? Promise.reject(new Error('disk full')) : store.put(name, value)) },
    ['x'],
  );
  await assert.rejects(registry.update('x', lists({ a: 'a1' })), /disk full/);
  assert.deepEqual(registry.tools(), []);
  isFull = false;
  await registry.update('x', lists({ a: 'a1' }));
  assert.equal(registry.tools().length, 1);
});

test('two hosts on one folder keep each other’s pins', async () => {
  const store = createFolderStore(await mkdtemp(join(tmpdir(), 'registry-')));
  const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
  const as = (version: number) => lists(Object.fromEntries(names.map((name) => [name, `${name} ${version}`])));
  const hosts = [new Registry(store, ['x']), new Registry(store, ['x'])];
  await Promise.all(hosts.map((host) => host.update('x', as(1))));
  const taken = await Promise.all(hosts.map((host) => take(host, as(2))));
  const approvals = taken[0]!.changed.map((one, index) =>
    hosts[index % 2]!.approve(taken[index % 2]!.changed[index] ?? one),
  );
  assert.ok((await Promise.all(approvals)).every(Boolean));
  const third = new Registry(store, ['x']);
  assert.deepEqual((await take(third, as(2))).changed, []);
  assert.equal(third.tools().length, 30);
});

test('problems of the lists are reported once', async () => {
  const registry = new Registry(createMemoryStore(), ['x']);
  const prompt = { name: 'p' };
  const twice: Lists = {
    ...lists({}),
    tools: [entry('a', 'first'), entry('a', 'second')],
    prompts: [prompt, prompt],
  };
  const { problems } = await take(registry, twice);
  assert.equal(problems.length, 2);
  assert.match(problems.join(), /the tool 'a'.*the prompt 'p'/s);
  assert.deepEqual((await take(registry, twice)).problems, []);
  assert.deepEqual(descriptions(registry), { a: 'first' });
  assert.equal(registry.prompts().length, 1);
  assert.deepEqual((await take(registry, lists({ a: 'first' }))).problems, []);
  assert.equal((await take(registry, twice)).problems.length, 2);
});

test('the result of `find` follows every change of every server', async () => {
  const registry = new Registry(createMemoryStore(), ['x', 'y']);
  const found = (): Record<string, string | undefined> =>
    Object.fromEntries(
      ['x__a', 'x__b', 'y__a'].map((name) => {
        const { tool, changed } = registry.find(name) ?? {};
        return [name, tool && `${tool.entry.description}${changed === undefined ? '' : ' (changed)'}`];
      }),
    );
  assert.deepEqual(found(), { x__a: undefined, x__b: undefined, y__a: undefined });
  await registry.update('x', lists({ a: 'a1', b: 'b1' }));
  assert.deepEqual(found(), { x__a: 'a1', x__b: 'b1', y__a: undefined });
  await registry.update('y', lists({ a: 'other' }));
  assert.deepEqual(found(), { x__a: 'a1', x__b: 'b1', y__a: 'other' });
  const { changed } = await take(registry, lists({ a: 'a2' }));
  assert.deepEqual(found(), { x__a: 'a2 (changed)', x__b: undefined, y__a: 'other' });
  await registry.approve(changed[0]!);
  assert.deepEqual(found(), { x__a: 'a2', x__b: undefined, y__a: 'other' });
  registry.drop('x');
  assert.deepEqual(found(), { x__a: undefined, x__b: undefined, y__a: 'other' });
});

test('a renamed tool that changed is found by its name', async () => {
  const registry = new Registry(createMemoryStore(), ['x']);
  const choice = { rename: { search: 'find' } };
  await registry.update('x', lists({ search: 'one', find: 'two' }), choice);
  const { changed } = await take(registry, lists({ search: 'EVIL', find: 'two' }), choice);
  assert.equal(registry.find('x__find')?.tool.entry.name, 'find');
  assert.match(changed[0]!.tool.name, /^x__find--/);
  // The other tool is gone and its name is free, but the tool is still the same.
  await registry.update('x', lists({ search: 'EVIL' }), choice);
  assert.equal(await registry.approve(changed[0]!), true);
  assert.equal(registry.find('x__find')?.tool.entry.name, 'search');
});

test('only the latest description of a server can count as approved', async () => {
  const registry = new Registry(createMemoryStore(), ['x']);
  const server = { name: 's', version: '1' };
  const [one, two] = [
    { server, instructions: 'one' },
    { server, instructions: 'two' },
  ];
  await registry.describe('x', one);
  assert.deepEqual([registry.isApproved('x', one), registry.isApproved('x', two)], [true, false]);
  await registry.describe('x', two);
  const changed = registry.changedOf('x').server!;
  assert.deepEqual([registry.isApproved('x', one), registry.isApproved('x', two)], [false, false]);
  // The approved version is back, so the approval of the other version comes too late.
  await registry.describe('x', one);
  assert.equal(await registry.approveServer(changed), false);
  await registry.describe('x', two);
  assert.equal(await registry.approveServer(changed), true);
  assert.deepEqual([registry.isApproved('x', two), registry.changedOf('x').server], [true, undefined]);
  registry.drop('x');
  assert.equal(registry.isApproved('x', two), false);
});

test('a tool that only pages of apps may call is not offered to the model', async () => {
  const registry = new Registry(createMemoryStore(), ['x']);
  const [shown, hidden, plain] = ['shown', 'hidden', 'plain'].map((name) => entry(name, name));
  await registry.update('x', {
    ...lists({}),
    tools: [
      { ...shown!, _meta: { ui: { resourceUri: 'ui://a', visibility: ['model', 'app'] } } },
      { ...hidden!, _meta: { ui: { resourceUri: 'ui://a', visibility: ['app'] } } },
      plain!,
    ],
  });
  assert.deepEqual(Object.keys(descriptions(registry)).sort(), ['plain', 'shown']);
});
