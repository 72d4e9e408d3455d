// State that servers keep in a store is available to the next process, and to others.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStore } from '@tenon/store';
import { until } from '../../../scripts/lib/until.ts';
import { cleanUp, modern, modernRequest, newPlace, type Reply, send, Session } from './kit.ts';

after(cleanUp);

function textOf({ result }: Reply): string {
  return result.content[0].text;
}

test('two processes with one file serve one session, and the next process continues it', async () => {
  const place = newPlace();
  const [a, b] = [place.start(), place.start()];
  const session = await Session.begin(await a.url);
  const said = async (url: string): Promise<string> =>
    textOf(await session.request(url, 'tools/call', { name: 'echo', arguments: { text: 'hello' } }));
  assert.equal(await said(await a.url), `${a.process.pid} hello`);
  assert.equal(await said(await b.url), `${b.process.pid} hello`);
  await Promise.all([a.kill(), b.kill()]);
  const c = place.start();
  assert.equal(await said(await c.url), `${c.process.pid} hello`);
  // A change by one of them is visible to the others.
  const d = place.start();
  const deleted = await fetch(await d.url, { method: 'DELETE', headers: session.headers });
  assert.equal(deleted.status, 204);
  const gone = await fetch(await c.url, session.message({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  assert.equal(gone.status, 404);
});

test('a stream that was cut is resumed at the next process, with everything that came before it ended', async () => {
  const place = newPlace();
  const a = place.start();
  const session = await Session.begin(await a.url);
  const stop = new AbortController();
  const params = { name: 'steps', arguments: { count: 20 }, _meta: { progressToken: 'p' } };
  const request = session.message({ jsonrpc: '2.0', id: 'steps', method: 'tools/call', params });
  const response = await fetch(await a.url, { ...request, signal: stop.signal });
  // The client reads until some progress has arrived, and loses its connection.
  let read = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    read += chunk;
    if (/"progress":3\b/.test(read)) break;
  }
  stop.abort();
  const [lastId] = [...read.matchAll(/^id: ?(.+)$/gm)].map(([, id]) => id!).slice(-1);
  const seen = [...read.matchAll(/"progress":(\d+)/g)].map(([, at]) => Number(at));
  const resume = (url: string): Promise<Response> =>
    fetch(url, { headers: { ...session.headers, accept: 'text/event-stream', 'last-event-id': lastId! } });
  // The call continues without it; then its process ends.
  const whole = await (await resume(await a.url)).text();
  assert.match(whole, /20 steps/);
  await a.kill();
  const b = place.start();
  const resumed = await (await resume(await b.url)).text();
  const rest = [...resumed.matchAll(/"progress":(\d+)/g)].map(([, at]) => Number(at));
  assert.deepEqual(
    [...seen, ...rest],
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
  assert.match(resumed, /"id":"steps"/);
  assert.match(resumed, /20 steps/);
});

test('a retry that is delivered again after its process was killed does not act again', async () => {
  const place = newPlace();
  const a = place.start();
  const call = { name: 'charge', arguments: { name: 'one' } };
  const asked = await modern(await a.url, 'tools/call', call);
  const { requestState } = asked.result;
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
  const retry = modernRequest('tools/call', { ...call, requestState, inputResponses });
  const first = textOf(await send(await a.url, retry));
  assert.equal(first, `one by ${a.process.pid}`);
  await a.kill();
  const b = place.start();
  assert.equal(textOf(await send(await b.url, retry)), first);
  assert.deepEqual([...place.effects()], [['one', 1]]);
});

test('of one retry that is delivered to two processes at the same time, one acts', async () => {
  const place = newPlace();
  const urls = await Promise.all([place.start(), place.start()].map(({ url }) => url));
  const call = { name: 'charge', arguments: { name: 'one' } };
  const { requestState } = (await modern(urls[0]!, 'tools/call', call)).result;
  const inputResponses = { sure: { action: 'accept', content: { sure: true } } };
  const retry = modernRequest('tools/call', { ...call, requestState, inputResponses });
  const texts = (await Promise.all(urls.map((url) => send(url, retry)))).map(textOf);
  assert.equal(texts[0], texts[1]);
  assert.deepEqual([...place.effects()], [['one', 1]]);
});

for (const [name, effects] of [
  ['work', 1],
  ['rework', 2],
] as const)
  test(`a task of a process that was killed ${name === 'work' ? 'fails' : 'runs again'}, as its tool declares`, async () => {
    const place = newPlace(200);
    const a = place.start();
    const args = { name: 'job', after: name === 'work' ? 60_000 : 300 };
    const { result } = await modern(await a.url, 'tools/call', { name, arguments: args });
    assert.equal(result.status, 'working');
    await until(() => place.effects().size === 1);
    await a.kill();
    const b = place.start();
    const { taskId } = result;
    let task: any;
    await until(async () => {
      task = (await modern(await b.url, 'tasks/get', { taskId })).result;
      return task.status !== 'working';
    });
    if (name === 'work') {
      assert.equal(task.status, 'failed');
      assert.match(task.error.message, /The process that ran this task has ended/);
    } else {
      assert.equal(task.status, 'completed');
      // Which process had the result of `once` first depends on when the other one was killed.
      assert.match(task.result.content[0].text, /^job, first finished by run of \d+$/);
    }
    assert.equal(place.effects().get('job'), effects);
  });

test('a question that waits when the process of its task is killed is answered at the next process', async () => {
  const place = newPlace(200);
  const a = place.start();
  const { result } = await modern(await a.url, 'tools/call', { name: 'asking', arguments: { name: 'job' } });
  const { taskId } = result;
  const get = async (url: string): Promise<any> => (await modern(url, 'tasks/get', { taskId })).result;
  await until(async () => (await get(await a.url)).status === 'input_required');
  await a.kill();
  const b = place.start();
  const inputResponses = { word: { action: 'accept', content: { word: 'yes' } } };
  assert.deepEqual((await modern(await b.url, 'tasks/update', { taskId, inputResponses })).error, undefined);
  let task: any;
  await until(
    async () => (task = await get(await b.url)).status === 'completed',
    () => JSON.stringify(task),
  );
  assert.equal(task.result.content[0].text, 'yes');
  assert.equal(place.effects().get('job'), 1);
});

test('a task of a killed process continues in the next one, even without requests about it', async () => {
  const place = newPlace(3_000);
  const a = place.start();
  const args = { name: 'job', before: 100, after: 60_000 };
  await modern(await a.url, 'tools/call', { name: 'rework', arguments: args });
  await until(() => place.effects().get('job') === 1);
  await a.kill();
  // While it starts, the lease of the killed process is still valid.
  const b = place.start();
  await b.url;
  await until(() => place.effects().get('job') === 2);
});

/** Starts a task that asks, and waits for its question. */
async function startAsking(url: string): Promise<string> {
  const { result } = await modern(url, 'tools/call', { name: 'asking', arguments: { name: 'job' } });
  await untilAsked(url, result.taskId);
  return result.taskId;
}

async function untilAsked(url: string, taskId: string): Promise<void> {
  await until(async () => (await modern(url, 'tasks/get', { taskId })).result.status === 'input_required');
}

/** Answers the question of a task. Resolves with its result. */
async function answer(url: string, taskId: string): Promise<any> {
  const inputResponses = { word: { action: 'accept', content: { word: 'yes' } } };
  await modern(url, 'tasks/update', { taskId, inputResponses });
  let task: any;
  await until(
    async () =>
      !['working', 'input_required'].includes((task = (await modern(url, 'tasks/get', { taskId })).result).status),
  );
  return task.result;
}

test('a task whose lease expired continues if no other process has taken it over, as after a sleep of the machine', async () => {
  const place = newPlace(200);
  const url = await place.start().url;
  const taskId = await startAsking(url);
  await using store = await openStore(place.address);
  const lease = `task-lease/durable/${taskId}`;
  assert.ok(await store.get(lease));
  await store.delete(lease);
  await until(async () => (await store.get(lease)) !== undefined);
  assert.deepEqual((await answer(url, taskId)).content, [{ type: 'text', text: 'yes' }]);
  assert.equal(place.effects().get('job'), 1);
});

test('a run whose lease another process has does not end the task', async () => {
  const place = newPlace(200);
  const url = await place.start().url;
  const taskId = await startAsking(url);
  await using store = await openStore(place.address);
  // The other process ends without having done anything.
  await store.set(`task-lease/durable/${taskId}`, 'of another process', 600);
  await until(async () => (await store.get(`task-lease/durable/${taskId}`)) === undefined);
  await untilAsked(url, taskId);
  const { content, isError } = await answer(url, taskId);
  assert.deepEqual([content, isError], [[{ type: 'text', text: 'yes' }], undefined]);
  assert.equal(place.effects().get('job'), 1);
});
