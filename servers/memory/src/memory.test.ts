import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { commandOf, serveOverHttp, textOf, waysTo, withTenon } from '../../shared/test/ways.ts';
import { createEntities } from './graph.ts';
import { createFileStore } from './graph-store.ts';
import { createMemory, GRAPH_URI } from './memory.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const folder = await mkdtemp(join(tmpdir(), 'tenon-memory-'));
after(() => rm(folder, { recursive: true, force: true }));
function inMemory(file: string) {
  return createMemory(() => createFileStore(join(folder, file)));
}

type Step = readonly [name: string, args: Record<string, unknown>];
function person(name: string, ...observations: string[]) {
  return { name, entityType: 'person', observations };
}

/** Calls with the same meaning for both servers. */
const TABLE: readonly Step[] = [
  ['read_graph', {}],
  ['create_entities', { entities: [person('Ann', 'likes tea'), person('Bob')] }],
  ['create_entities', { entities: [person('Ann', 'again'), person('Cy', 'Ä, 日本, "quoted"\nand more')] }],
  ['create_entities', { entities: [] }],
  [
    'create_relations',
    {
      relations: [
        { from: 'Ann', to: 'Bob', relationType: 'knows' },
        { from: 'Bob', to: 'Cy', relationType: 'works with' },
      ],
    },
  ],
  ['create_relations', { relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }] }],
  ['add_observations', { observations: [{ entityName: 'Ann', contents: ['likes tea', 'is tall'] }] }],
  ['add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] }],
  ['search_nodes', { query: 'TEA' }],
  ['search_nodes', { query: 'person' }],
  ['search_nodes', { query: 'nothing' }],
  ['open_nodes', { names: ['Bob', 'Nobody'] }],
  ['open_nodes', { names: [] }],
  ['delete_observations', { deletions: [{ entityName: 'Ann', observations: ['is tall', 'unknown'] }] }],
  ['delete_observations', { deletions: [{ entityName: 'Nobody', observations: ['x'] }] }],
  ['delete_relations', { relations: [{ from: 'Ann', to: 'Bob', relationType: 'hates' }] }],
  ['delete_entities', { entityNames: ['Bob', 'Nobody'] }],
  ['read_graph', {}],
  ['create_entities', { entities: 'none' }],
  ['create_entities', {}],
  ['search_nodes', {}],
];

test('the same calls give the same answers as those of the published original, which reads the same file', async () => {
  const path = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
  const file = join(folder, 'original.jsonl');
  await using original = await connect(
    { command: process.execPath, args: [path], env: { MEMORY_FILE_PATH: file } },
    { eras },
  );
  await using ours = await connect(inMemory('ours.jsonl'));
  const result = async (client: Client, [name, args]: Step) => {
    const { content, structuredContent, isError = false } = await client.result(name, args);
    // Error messages may differ, but both calls must fail.
    return isError ? { isError } : { content, structuredContent };
  };
  for (const step of TABLE)
    assert.deepEqual(await result(ours, step), await result(original, step), JSON.stringify(step));
  assert.equal(await readFile(join(folder, 'ours.jsonl'), 'utf8'), await readFile(file, 'utf8'));
  const names = async (client: Client) => (await client.tools().all()).map(({ name }) => name).sort();
  assert.deepEqual(await names(ours), await names(original));
});

test('watchers of the graph are notified of every change', async () => {
  await using client = await connect(inMemory('watched.jsonl'));
  const watch = client.watch({ uri: GRAPH_URI });
  await watch.ready;
  await client.call('create_entities', { entities: [person('Ann')] });
  for await (const change of watch) {
    assert.deepEqual(change, { uri: GRAPH_URI, missed: false });
    break;
  }
  const { contents } = await client.read(GRAPH_URI);
  assert.match(String(contents[0]?.text), /"Ann"/);
});

test('the user is asked before entities are deleted, in both eras', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    for (const forget of [true, false]) {
      const app = createMemory(() => createFileStore(join(folder, `sure-${revision}-${forget}.jsonl`)), {
        confirm: true,
      });
      const asked: string[] = [];
      await using client = await connect(app, {
        revision,
        elicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { forget } };
        },
      });
      await client.call('create_entities', { entities: [person('Ann')] });
      await client.call('delete_entities', { entityNames: ['Nobody'] });
      await client.result('delete_entities', { entityNames: ['Ann'] });
      assert.deepEqual(asked, ["Forget 'Ann' with all that is known about it?"]);
      const { entities } = (await client.call('read_graph')) as { entities: unknown[] };
      assert.equal(entities.length, forget ? 0 : 1);
    }
});

test('stored data can be read whatever its size, and results fit every client', async () => {
  await using client = await connect(inMemory('grown.jsonl'));
  await client.call('create_entities', { entities: [person('Ann')] });
  for (let turn = 0; turn < 2; turn++) {
    const contents = Array.from({ length: 6_000 }, (_, index) => `${turn} ${index}`);
    await client.call('add_observations', { observations: [{ entityName: 'Ann', contents }] });
  }
  const { entities } = (await client.call('open_nodes', { names: ['Ann'] })) as {
    entities: { observations: string[] }[];
  };
  assert.equal(entities[0]!.observations.length, 12_000);
  const large = Array.from({ length: 40 }, (_, index) => person(`L${index}`, 'x'.repeat(99_000)));
  await client.call('create_entities', { entities: large.slice(0, 20) });
  await client.call('create_entities', { entities: large.slice(20) });
  await assert.rejects(client.call('read_graph'), /request a part of it/);
  assert.equal(((await client.call('open_nodes', { names: ['L3'] })) as { entities: unknown[] }).entities.length, 1);
});

test("watchers are notified of changes by other programs, but not of other clients' private changes", async () => {
  const file = join(folder, 'others.jsonl');
  const env = { MEMORY_FILE_PATH: file };
  await createFileStore(file).change((graph) => createEntities(graph, [person('First')]));
  const [command, ...args] = commandOf({ name: 'memory' });
  await using client = await connect({ command, args, env }, { eras });
  const watch = client.watch({ uri: GRAPH_URI });
  await watch.ready;
  await createFileStore(file).change((graph) => createEntities(graph, [person('From elsewhere')]));
  for await (const change of watch) {
    assert.equal((change as { uri: string }).uri, GRAPH_URI);
    break;
  }
  const { url, stop: end } = await serveOverHttp({ name: 'memory', env });
  after(end);
  await using ann = await connect(url, { eras, revision: '2025-11-25' });
  await using bob = await connect(url, { eras, revision: '2025-11-25' });
  let heard = 0;
  const bobs = bob.watch({ uri: GRAPH_URI });
  await bobs.ready;
  void (async () => {
    for await (const _ of bobs) heard++;
  })().catch(() => {});
  await ann.call('create_entities', { entities: [person('Private')] });
  // A later change, which is reported no faster, arrives.
  const later = client.watch({ uri: GRAPH_URI });
  await later.ready;
  await createFileStore(file).change((graph) => createEntities(graph, [person('Later')]));
  for await (const _ of later) break;
  assert.equal(heard, 0);
});

test('a relation to a missing entity is rejected with a message for the model', async () => {
  await using client = await connect(inMemory('nowhere.jsonl'));
  await assert.rejects(
    client.call('create_relations', { relations: [{ from: 'a', to: 'b', relationType: 'x' }] }),
    /There is no entity 'a'/,
  );
});

test('over HTTP clients are isolated from each other, unless the memory is shared', async () => {
  const env = { MEMORY_FILE_PATH: join(folder, 'http.jsonl') };
  const alone = await serveOverHttp({ name: 'memory', env });
  const shared = await serveOverHttp({ name: 'memory', args: ['--shared'], env });
  after(() => (alone.stop(), shared.stop()));
  for (const [url, revision, isSeen] of [
    [alone.url, '2025-11-25', false],
    [shared.url, '2025-11-25', true],
    [shared.url, '2026-07-28', true],
  ] as const) {
    const ann = await withTenon(url, revision);
    const bob = await withTenon(url, revision);
    await ann.call('create_entities', { entities: [person(`Ann ${revision}`)] });
    const seen = textOf(await bob.call('read_graph'));
    assert.equal(seen.includes(`Ann ${revision}`), isSeen);
    await ann.close();
    await bob.close();
  }
  const modern = await withTenon(alone.url, '2026-07-28');
  const refused = await modern.call('read_graph');
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /--shared/);
  await modern.close();
});

test('a file with other content is reported at the start', async () => {
  const file = join(folder, 'letter.txt');
  await writeFile(file, 'Dear Ann');
  await assert.rejects(
    serveOverHttp({ name: 'memory', args: ['--file', file] }),
    /ended with 2: .*is not a memory file/s,
  );
});

const { ways, stop } = waysTo({ name: 'memory', args: ['--file', join(folder, 'ways.jsonl'), '--shared'] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.equal((await client.tools()).length, 9);
    await client.call('create_entities', { entities: [person(way)] });
    assert.ok(textOf(await client.call('open_nodes', { names: [way] })).includes(way));
    const wrong = await client.call('add_observations', { observations: [{ entityName: 'Nobody', contents: [] }] });
    assert.equal(wrong.isError, true);
    await client.close();
  });
