// Our client with the published servers for files, memory and thinking, doing realistic work.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../../scripts/lib/until.ts';
import { ToolError } from '../../src/entries/client.ts';
import { pixel } from './menu.ts';
import { published } from './published.ts';
import { connectTapped, type Tapped } from './tenon-client.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-published-')));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Our side sent nothing invalid on the wire. */
function assertClean(tapped: Tapped): void {
  assert.deepEqual(tapped.problems(), []);
  assert.deepEqual(tapped.complaints, []);
}

describe('our client ↔ server-filesystem', () => {
  const allowed = join(folder, 'allowed');
  const other = join(folder, 'other');
  const inside = (...parts: string[]): string => join(allowed, ...parts);
  let tapped: Tapped;
  /** Every tool also returns its text as structured content. */
  const call = async (name: string, args: Record<string, unknown>): Promise<string> =>
    ((await tapped.client.call(name, args)) as { content: string }).content;
  before(async () => {
    mkdirSync(allowed);
    mkdirSync(other);
    tapped = await connectTapped(published('filesystem', [allowed]), { roots: undefined });
  });
  after(() => tapped.client.close());

  it('negotiates 2025-11-25', () => {
    assert.equal(tapped.client.revision, '2025-11-25');
    assert.equal(tapped.client.server?.name, 'secure-filesystem-server');
    assert.deepEqual(Object.keys(tapped.client.capabilities), ['tools']);
  });

  it('lists tools with annotations and schemas', async () => {
    const tools = await tapped.client.tools().all();
    const write = tools.find(({ name }) => name === 'write_file');
    assert.equal(write?.annotations?.destructiveHint, true);
    assert.deepEqual(write?.inputSchema['required'], ['path', 'content']);
    assert.ok(tools.every(({ outputSchema }) => outputSchema?.['type'] === 'object'));
    assert.ok(tools.length >= 13);
  });

  it('writes, edits, reads, moves and finds files', async () => {
    await call('create_directory', { path: inside('a', 'b') });
    const path = inside('a', 'b', 'Grüße.txt');
    await call('write_file', { path, content: 'one\ntwo 🍮\nthree\n' });
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo 🍮\nthree\n');
    const edits = [{ oldText: 'two 🍮', newText: 'zwei' }];
    assert.match(await call('edit_file', { path, edits, dryRun: true }), /-two 🍮\n\+zwei/);
    assert.equal(await call('read_text_file', { path, head: 2 }), 'one\ntwo 🍮');
    await call('edit_file', { path, edits });
    assert.equal(await call('read_text_file', { path }), 'one\nzwei\nthree\n');
    const destination = inside('a', 'moved.txt');
    await call('move_file', { source: path, destination });
    assert.equal(await call('search_files', { path: allowed, pattern: '**/*.txt' }), destination);
    assert.equal(await call('list_directory', { path: inside('a') }), '[DIR] b\n[FILE] moved.txt');
    assert.match(
      await call('read_multiple_files', { paths: [destination, inside('none')] }),
      /one\nzwei[\s\S]*none: Error/,
    );
    assert.match(await call('get_file_info', { path: destination }), /size: 15/);
    const tree = JSON.parse(await call('directory_tree', { path: allowed })) as { name: string }[];
    assert.deepEqual(
      tree.map(({ name }) => name),
      ['a'],
    );
  });

  it('reads an image', async () => {
    writeFileSync(inside('pixel.png'), Buffer.from(pixel, 'base64'));
    const result = await tapped.client.result('read_media_file', { path: inside('pixel.png') });
    assert.deepEqual(result.content, [{ type: 'image', data: pixel, mimeType: 'image/png' }]);
  });

  it('throws refusals of the server as tool errors', async () => {
    await assert.rejects(call('read_text_file', { path: join(other, 'x') }), (error) => {
      assert.ok(error instanceof ToolError);
      assert.match(error.message, /outside allowed directories/);
      assert.equal(error.result?.isError, true);
      return true;
    });
  });

  it('has no resources, prompts or completions, and answers so without a request', async () => {
    const before = tapped.sent.length;
    assert.deepEqual(await tapped.client.resources().all(), []);
    assert.deepEqual(await tapped.client.prompts().all(), []);
    await assert.rejects(tapped.client.read('file:///x'), { code: -32601 });
    assert.equal(tapped.sent.length, before);
  });

  it('sends nothing invalid', () => assertClean(tapped));

  for (const revision of ['2025-11-25', '2024-11-05'] as const) {
    it(`takes the allowed folders from the roots of the client, and follows their changes, on ${revision}`, async () => {
      const root = (path: string) => [{ uri: pathToFileURL(path).href, name: 'files' }];
      await using rooted = await connectTapped(published('filesystem', [allowed]), { revision, roots: root(other) });
      const shown = async (): Promise<string> =>
        JSON.stringify(await rooted.client.result('list_allowed_directories', {}));
      await until(async () => (await shown()).includes(other));
      await rooted.client.setRoots(root(allowed));
      await until(async () => (await shown()).includes(allowed));
      assertClean(rooted);
    });
  }
});

describe('our client ↔ server-memory', () => {
  const file = join(folder, 'memory.jsonl');
  const uri = 'memory://knowledge-graph';
  const ada = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
  const engine = { name: 'Engine', entityType: 'machine', observations: ['analytical'] };
  const knows = { from: 'Ada', to: 'Engine', relationType: 'programs' };
  let tapped: Tapped;
  before(async () => {
    tapped = await connectTapped(published('memory', [], { MEMORY_FILE_PATH: file }));
  });
  after(() => tapped.client.close());

  it('negotiates 2025-11-25', () => {
    assert.equal(tapped.client.revision, '2025-11-25');
    assert.equal(tapped.client.server?.name, 'memory-server');
  });

  it('builds a graph, searches it, and saves it in the file', async () => {
    const { client } = tapped;
    assert.deepEqual(await client.call('create_entities', { entities: [ada, engine] }), { entities: [ada, engine] });
    assert.deepEqual(await client.call('create_relations', { relations: [knows] }), { relations: [knows] });
    const observations = [{ entityName: 'Ada', contents: ['born 1815'] }];
    assert.deepEqual(await client.call('add_observations', { observations }), {
      results: [{ entityName: 'Ada', addedObservations: ['born 1815'] }],
    });
    const found = (await client.call('search_nodes', { query: 'analytical' })) as { entities: { name: string }[] };
    assert.deepEqual(
      found.entities.map(({ name }) => name),
      ['Engine'],
    );
    assert.match(readFileSync(file, 'utf8'), /born 1815/);
  });

  it('reads the graph as a resource, and is notified of changes', async () => {
    const { client } = tapped;
    const [listed] = await client.resources().all();
    assert.equal(listed?.uri, uri);
    const watch = client.watch({ uri });
    await watch.ready;
    await client.call('delete_entities', { entityNames: ['Engine'] });
    for await (const change of watch) {
      assert.deepEqual(change, { uri, missed: false });
      break;
    }
    const [graph] = (await client.read(uri)).contents;
    assert.ok(graph !== undefined && 'text' in graph);
    const { entities, relations } = JSON.parse(String(graph.text)) as { entities: unknown[]; relations: unknown[] };
    assert.deepEqual(entities, [{ ...ada, observations: ['writes programs', 'born 1815'] }]);
    assert.deepEqual(relations, []);
  });

  it("throws the tool's errors about unknown entities", async () => {
    const observations = [{ entityName: 'Nobody', contents: ['x'] }];
    await assert.rejects(tapped.client.call('add_observations', { observations }), ToolError);
  });

  it('sends nothing invalid', () => assertClean(tapped));
});

describe('our client ↔ server-sequential-thinking', () => {
  let tapped: Tapped;
  const think = (thought: string, thoughtNumber: number, more: Record<string, unknown> = {}) =>
    tapped.client.call('sequentialthinking', {
      thought,
      thoughtNumber,
      totalThoughts: 3,
      nextThoughtNeeded: true,
      ...more,
    }) as Promise<Record<string, unknown>>;
  before(async () => {
    tapped = await connectTapped(published('sequential-thinking', [], { DISABLE_THOUGHT_LOGGING: 'true' }));
  });
  after(() => tapped.client.close());

  it('negotiates 2025-11-25', () => {
    assert.equal(tapped.client.revision, '2025-11-25');
    assert.equal(tapped.client.server?.name, 'sequential-thinking-server');
  });

  it('thinks step by step, with a branch, and counts correctly', async () => {
    assert.equal((await think('How many?', 1))['thoughtHistoryLength'], 1);
    await think('Perhaps 42', 2);
    const branched = await think('Or 43', 2, { branchFromThought: 1, branchId: 'other' });
    assert.deepEqual(branched['branches'], ['other']);
    const last = await think('42', 3, { nextThoughtNeeded: false });
    assert.deepEqual(last, {
      thoughtNumber: 3,
      totalThoughts: 3,
      nextThoughtNeeded: false,
      branches: ['other'],
      thoughtHistoryLength: 4,
    });
  });

  it("throws the server's errors about wrong arguments", async () => {
    await assert.rejects(think('no', 0), ToolError);
  });

  it('sends nothing invalid', () => assertClean(tapped));
});
