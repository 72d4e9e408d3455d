import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../../protocol/limits.ts';
import { memoryStore } from '../../../store/memory.ts';
import { listSet } from '../../serving/updates.ts';
import { Sessions } from './sessions.ts';

const agreed = { revision: '2025-11-25', capabilities: {}, client: undefined, lists: listSet([]) } as const;

function node(store: ReturnType<typeof memoryStore>, name: string): Sessions {
  const limits = { ...DEFAULT_LIMITS, sessions: 5, sessionsPerPrincipal: 3 };
  return new Sessions({ limits, store, node: name, nextId: () => name, log: () => {}, deliver: () => {} });
}

test('with a store, a node keeps no more sessions in memory than it may, and finds the others again', async () => {
  const store = memoryStore();
  const nodes = [node(store, 'a'), node(store, 'b')];
  const ids: string[] = [];
  for (let count = 0; count < 20; count++) {
    const session = await nodes[count % 2]!.begin(agreed, { principal: undefined, quotaKey: 'network x' });
    ids.push(session!.id);
  }
  for (const id of ids)
    for (const sessions of nodes) {
      assert.ok((await sessions.find(id, undefined)) !== undefined, id);
      assert.ok(sessions.size <= 5, String(sessions.size));
    }
  for (const sessions of nodes) sessions.close();
});

test('a session that its caller replaced by a newer one is gone on every node', async () => {
  const store = memoryStore();
  const [a, b] = [node(store, 'a'), node(store, 'b')];
  const principal = { id: 'ann' };
  const ids: string[] = [];
  for (let count = 0; count < 5; count++)
    ids.push((await a!.begin(agreed, { principal, quotaKey: 'principal ann' }))!.id);
  const found = await Promise.all(ids.map(async (id) => (await b!.find(id, principal)) !== undefined));
  assert.deepEqual(found.filter(Boolean).length, 3);
  for (const sessions of [a!, b!]) sessions.close();
});
