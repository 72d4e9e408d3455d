import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import process from 'node:process';
import { after, test } from 'node:test';
import { type Client, connect } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { serveOverHttp, textOf, waysTo, withTenon } from '../../shared/test/ways.ts';
import { Chains } from './chains.ts';
import { createSequentialThinking } from './sequential-thinking.ts';

const eras = { get: () => undefined, set() {}, delete() {} };

function step(thoughtNumber: number, more: object = {}) {
  return {
    thought: `thought ${thoughtNumber}`,
    nextThoughtNeeded: true,
    thoughtNumber,
    totalThoughts: 3,
    ...more,
  };
}

async function think(client: Pick<Client, 'call'>, args: object): Promise<any> {
  return client.call('sequentialthinking', args as Record<string, unknown>);
}

/** Valid steps for both servers. */
const TABLE: readonly object[] = [
  step(1),
  step(2, { nextThoughtNeeded: 'true' }),
  step(3, { isRevision: true, revisesThought: 1 }),
  step(4),
  step(5, { totalThoughts: 9, branchFromThought: 2, branchId: 'b' }),
  step(6, { branchFromThought: 2, branchId: 'c' }),
  step(7, { branchFromThought: 2, branchId: 'b', needsMoreThoughts: 'false' }),
  step(8, { branchFromThought: 2 }),
  step(9, { thoughtNumber: '9', totalThoughts: '9', nextThoughtNeeded: false }),
];
const WRONG: readonly object[] = [
  {},
  step(0),
  step(1, { totalThoughts: 0 }),
  step(1, { thought: 7 }),
  step(1, { nextThoughtNeeded: 'perhaps' }),
  step(1.5),
];

test('the same steps give the same answers as those of the published original', async () => {
  const path = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js');
  const env = { DISABLE_THOUGHT_LOGGING: 'true' };
  await using original = await connect({ command: process.execPath, args: [path], env }, { eras });
  await using ours = await connect(createSequentialThinking());
  for (const args of TABLE) {
    const { chain, ...answer } = await think(ours, args);
    assert.deepEqual(answer, await think(original, args));
    assert.match(chain, /^[0-9a-f-]{36}$/);
  }
  for (const args of WRONG) {
    await assert.rejects(think(ours, args), { name: 'ToolError' }, JSON.stringify(args));
    await assert.rejects(think(original, args), { name: 'ToolError' });
  }
});

test('a first thought starts a chain, so that two conversations are not mixed', async () => {
  await using client = await connect(createSequentialThinking());
  const one = await think(client, step(1));
  await think(client, step(2));
  const two = await think(client, step(1));
  assert.equal(two.thoughtHistoryLength, 1);
  assert.notEqual(two.chain, one.chain);
  assert.equal((await think(client, step(3, { chain: one.chain }))).thoughtHistoryLength, 3);
  const { contents } = await client.read(`thinking://chain/${one.chain}`);
  assert.equal((JSON.parse(String(contents[0]?.text)) as unknown[]).length, 3);
  await assert.rejects(think(client, step(2, { chain: 'another' })), /no chain/);
});

test('concurrent clients are isolated from each other', async () => {
  const served = await serveHttp(createSequentialThinking(), { port: 0, signals: false, drainMs: 50 });
  after(() => served.close());
  for (const revision of ['2025-06-18', '2026-07-28'] as const) {
    await using ann = await connect(served.url, { eras, revision });
    await using bob = await connect(served.url, { eras, revision });
    const first = await think(ann, step(1));
    await think(ann, step(2, { chain: first.chain, branchFromThought: 1, branchId: 'secret' }));
    const other = await think(bob, step(2));
    assert.deepEqual([other.thoughtHistoryLength, other.branches], [1, []]);
    if (revision === '2025-06-18') await assert.rejects(think(bob, step(3, { chain: first.chain })), /no chain/);
  }
});

test('a chain is bounded, and so is the number of chains', async () => {
  await using client = await connect(createSequentialThinking());
  const { chain } = await think(client, step(1));
  const large = 'x'.repeat(99_000);
  let added = 0;
  await assert.rejects(async () => {
    for (; added < 20; added++) await think(client, step(2, { chain, thought: large }));
  }, /start a new one/);
  assert.equal(added, 10);
  for (let index = 0; index < 100; index++) await think(client, step(1));
  await assert.rejects(think(client, step(2, { chain })), /\(any more\)/);
});

test('the stored thoughts are limited in number and size', () => {
  const chains = new Chains(10_000);
  const thought = { thought: 'x'.repeat(99_000), thoughtNumber: 1, totalThoughts: 1 };
  const first = chains.begin();
  chains.add(first, thought);
  for (let index = 0; index < 1_000; index++) chains.add(chains.begin(), thought);
  let kept = 0;
  for (const { id } of chains.all()) kept += chains.get(id)!.characters;
  assert.ok(kept <= 16_000_000, `${kept} characters`);
  assert.equal(chains.get(first.id), undefined);
});

const { ways, stop } = waysTo({ name: 'sequential-thinking' });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.deepEqual(await client.tools(), ['sequentialthinking']);
    const first = JSON.parse(textOf(await client.call('sequentialthinking', step(1)))) as { chain: string };
    const second = textOf(await client.call('sequentialthinking', step(2, { chain: first.chain })));
    assert.equal((JSON.parse(second) as { thoughtHistoryLength: number }).thoughtHistoryLength, 2);
    await client.close();
  });

test('an invalid command line is reported with exit code 2', async () => {
  await assert.rejects(
    serveOverHttp({ name: 'sequential-thinking', args: ['--nonsense'] }),
    /ended with 2: .*--nonsense/s,
  );
  await assert.rejects(withTenon({ name: 'sequential-thinking', args: ['--http', 'x'] }, '2025-06-18'), /takes a port/);
});
