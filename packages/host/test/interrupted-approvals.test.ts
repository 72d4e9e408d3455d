// Waiting approvals survive the host, and apply when an equal item is created again.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { z } from 'zod';
import { turns } from '../../../scripts/lib/until.ts';
import { answerPending, createHost, listPending } from '../src/index.ts';
import { asking, newState, until, yes } from './interrupted-kit.ts';

function app() {
  return server({ name: 'x', tools: { add: tool({ input: z.object({ a: z.number() }) }, ({ a }) => `${a}`) } });
}

/** A server over HTTP: its approval is requested even if it does not run. */
const servers = { one: 'http://127.0.0.1:9/mcp' };

test('a waiting approval of a start keeps its id after its host has ended, and a denial given meanwhile counts', async () => {
  const state = await newState();
  const first = await createHost({ state, servers });
  void first.start();
  await until(() => first.pending().length > 0);
  const { id } = first.pending()[0]!;
  await first.close();
  assert.deepEqual(
    (await listPending(state)).map((item) => [item.id, item.kind]),
    [[id, 'start']],
  );

  const second = await createHost({ state, servers });
  void second.start();
  await until(() => second.pending().length > 0);
  assert.equal(second.pending()[0]!.id, id);
  await second.close();

  assert.equal(await answerPending(state, id, { allow: false }), true);
  await using third = await createHost({ state, servers });
  await third.start();
  assert.equal(third.servers()[0]!.state, 'refused');
  assert.deepEqual(await listPending(state), []);
});

test('a waiting approval of a call survives its host, and applies only to the same arguments', async () => {
  const state = await newState();
  const rules = [{ effect: 'allow', act: 'start' }] as const;
  const first = await createHost({ state, servers: { x: app() }, rules });
  await first.start();
  void first.call('x__add', { a: 1 });
  await until(() => first.pending().length > 0);
  const { id } = first.pending()[0]!;
  await first.close();
  assert.equal(await answerPending(state, id, { allow: true }), true);

  await using second = await createHost({ state, servers: { x: app() }, rules });
  await second.start();
  const other = second.call('x__add', { a: 2 });
  await until(() => second.pending().length > 0);
  assert.notEqual(second.pending()[0]!.id, id);
  const { content } = await second.call('x__add', { a: 1 });
  assert.deepEqual(content, [{ type: 'text', text: '1' }]);
  assert.equal(second.answer(second.pending()[0]!.id, { allow: false }), true);
  assert.equal((await other).isError, true);
  assert.deepEqual(await listPending(state), []);
});

test('an approval is removed when its call is cancelled', async () => {
  const state = await newState();
  await using host = await createHost({ state, servers: { x: app() }, rules: [{ effect: 'allow', act: 'start' }] });
  await host.start();
  const stop = new AbortController();
  const call = host.call('x__add', { a: 1 }, { signal: stop.signal });
  await until(() => host.pending().length > 0);
  stop.abort();
  await call.catch(() => {});
  await until(async () => (await listPending(state)).length === 0);
});

test('an approve function that throws denies, and the result of the call says so', async () => {
  await using host = await createHost({
    servers: { x: app() },
    approve: ({ kind }) => {
      if (kind === 'start') return yes();
      throw new Error('a bug');
    },
  });
  await host.start();
  const { isError, content } = await host.call('x__add', { a: 1 });
  assert.equal(isError, true);
  assert.match(JSON.stringify(content), /the decision handler failed/);
  assert.equal(host.decisions().at(-1)!.why, 'No decision: the decision handler failed');
  await turns();
});

test('an ask function that throws cancels the question, which does not count as an answer of a person', async () => {
  const { app: web, done } = asking();
  const state = await newState();
  await using host = await createHost({
    state,
    servers: { one: web },
    approve: yes,
    ask: () => {
      throw new Error('a bug');
    },
  });
  await host.start();
  assert.equal((await host.call('one__confirm', { what: 'it' })).isError, true);
  const { allow, why } = host.decisions().findLast(({ act }) => act === 'question')!;
  assert.deepEqual([allow, why], [false, 'No decision: the decision handler failed']);
  assert.deepEqual(done, []);
  const log = await readFile(join(state, 'audit.jsonl'), 'utf8');
  const [entry] = log.split('\n').filter((line) => line.includes('"act":"question"'));
  assert.equal((JSON.parse(entry!) as { decision: string }).decision, 'deny');
});
