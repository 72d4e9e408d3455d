// Three nodes on one Redis, of which one is killed, cut off or slow, or whose Redis is away, full or far.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'tenon/client';
import {
  beginSession,
  fieldsOf,
  initializeBody,
  JSON_FIELDS,
  modernBody,
  sessionAt,
} from '../packages/sdk/test/http/requests.ts';
import { type Answer, type Live, send } from '../packages/sdk/test/http/send.ts';
import { seededRandom } from '../scripts/lib/seeded-random.ts';
import { rounds } from '../scripts/lib/soak.ts';
import { until } from '../scripts/lib/until.ts';
import { WATCHED } from './app.ts';
import { type ClusterNode, FaultyCluster } from './faulty-cluster.ts';

const cluster = await FaultyCluster.start();
after(() => cluster.close());
const { balancer, nodes } = cluster;
const REVISION = '2025-11-25';

let names = 0;
function newName(): string {
  return `call ${++names}`;
}

function call(name: string, args: object, id: unknown = 1) {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, _meta: { progressToken: id } },
  };
}

/** A request of a client that accepts tasks. */
function modern(url: string, method: string, params: Record<string, unknown>): Promise<Answer> {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions } };
  const name = (params['name'] ?? params['taskId']) as string;
  return send(url, 'POST', fieldsOf(method, name), modernBody(method, params, meta));
}

/** Starts a task, and gives its id. */
async function startTask(url: string, name: string, args: object): Promise<string> {
  const { json, text } = await modern(url, 'tools/call', { name, arguments: args });
  assert.equal(json.result?.resultType, 'task', text);
  return json.result.taskId;
}

/** The state of a task, once it has ended. */
async function endOf(url: string, taskId: string): Promise<any> {
  let task: any;
  await until(
    async () => {
      task = (await modern(url, 'tasks/get', { taskId })).json.result;
      return task !== undefined && !['working', 'input_required'].includes(task.status);
    },
    () => JSON.stringify(task),
  );
  return task;
}

function textOf({ json, text }: Answer): string {
  assert.ok(json?.result?.content, text);
  return json.result.content[0].text;
}

/** Was a request refused because the store is away, with the promise that it may be repeated? */
function assertRefused({ status, json, headers, text }: Answer, what: string): void {
  assert.deepEqual([status, headers['retry-after']], [503, '2'], `${what}: ${text}`);
  assert.deepEqual(json.error.data, { retryAfterMs: 2_000, repeatable: true }, `${what}: ${text}`);
}

/** What a client has received of one stream, over all connections. */
class Received {
  readonly ids: string[] = [];
  readonly messages: any[] = [];

  get lastId(): string {
    return this.ids.at(-1)!;
  }

  get hasResult(): boolean {
    return this.messages.at(-1)?.result !== undefined;
  }

  take({ events }: Pick<Live, 'events'>): void {
    for (const event of events) {
      if (event.id === '') continue;
      this.ids.push(event.id);
      if (event.kind === 'message') this.messages.push(JSON.parse(event.data));
    }
  }

  /** Each event has come once, and in order. */
  assertInOrder(): void {
    const stream = this.ids[0]!.replace(/_\d+$/, '');
    assert.deepEqual(
      this.ids,
      this.ids.map((_, at) => `${stream}_${at + 1}`),
    );
  }

  /** The same for its progress: the steps 1, 2, 3 … */
  assertSteps(count: number): void {
    this.assertInOrder();
    const steps = this.messages.flatMap(({ params }) => (params?.progress === undefined ? [] : [params.progress]));
    assert.deepEqual(
      steps,
      Array.from({ length: count }, (_, at) => at + 1),
    );
  }
}

test('[F-62] while the store is away, new tasks are refused and may be repeated; those that run go on, and none ends but as it was', async () => {
  const [{ url }, other] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const [short, long, refused] = [newName(), newName(), newName()];
  // One ends while the store is away, and one after that.
  const running = [
    { name: short, id: await startTask(url, 'work', { name: short, after: 1_000 }) },
    { name: long, id: await startTask(url, 'work', { name: long, before: 5_000 }) },
  ];
  await until(() => cluster.effectsOf(short) === 1);
  await cluster.redis.kill();
  await Promise.all(nodes.map((node) => node.isReady(503)));
  const late = performance.now() + rounds(0, 30_000);
  do {
    const [task] = running;
    assertRefused(await modern(url, 'tools/call', { name: 'work', arguments: { name: refused } }), 'a new task');
    for (const node of nodes) assertRefused(await modern(node.url, 'tasks/get', { taskId: task!.id }), 'its state');
  } while (performance.now() < late);
  await cluster.redis.start();
  await cluster.areReady();
  for (const { name, id } of running) {
    const task = await endOf(other.url, id);
    assert.equal(task.result?.content[0].text, name, JSON.stringify(task));
    assert.equal(cluster.effectsOf(name), 1);
  }
  assert.equal(cluster.effectsOf(refused), 0);
  const again = await startTask(url, 'work', { name: refused });
  assert.equal((await endOf(other.url, again)).status, 'completed');
});

test('[F-65] each request of a session may reach another node, and its stream gets the messages of all of them', async () => {
  const session = await beginSession(balancer.url, REVISION, { elicitation: {} });
  const pids = [];
  for (let n = 0; n < 3; n++) pids.push(textOf(await session.request('tools/call', { name: 'node' })));
  assert.deepEqual(pids.toSorted(), nodes.map(({ pid }) => pid).toSorted(), 'the balancer deals in turn');
  await session.request('resources/subscribe', { uri: WATCHED });
  const listening = session.listen();
  assert.equal(await listening.status, 200);
  for (const { url } of nodes) {
    const name = newName();
    await sessionAt(url, session.id, REVISION).request('tools/call', { name: 'tell', arguments: { name } });
    assert.equal((await listening.next(({ method }) => method === 'notifications/message')).params.data, name);
    await modern(url, 'tools/call', { name: 'change' });
    await listening.next(({ method }) => method === 'notifications/resources/updated');
  }
  for (const { url } of nodes) {
    const name = newName();
    const asking = sessionAt(url, session.id, REVISION).begin(call('charge', { name }));
    const { id } = await asking.next(({ method }) => method === 'elicitation/create');
    const answer = { action: 'accept', content: { word: 'yes' } };
    // Goes to another node than the question came from.
    assert.equal((await session.post({ jsonrpc: '2.0', id, result: answer })).status, 202);
    assert.equal((await asking.next(({ result }) => result !== undefined)).result.content[0].text, `${name} yes`);
  }
  listening.drop();
});

test('[F-66] [F-45] [F-50] if the node of its connection is killed, a client resumes at another: each event arrives once, in order', async (t) => {
  let kills = 0;
  for (let round = 0; round < rounds(1, 170); round++) {
    const session = await beginSession(nodes[0]!.url, REVISION);
    const count = 60;
    const running = session.begin(call('steps', { name: newName(), count, pauseMs: 20 }));
    await running.next();
    running.drop();
    const received = new Received();
    received.take(running);
    for (let holder = 1; !received.hasResult; holder = 3 - holder) {
      const stream = sessionAt(nodes[holder]!.url, session.id, REVISION).listen({ 'last-event-id': received.lastId });
      assert.equal(await stream.status, 200);
      const isEnough = (): boolean => stream.events.length >= 10 || stream.messages.at(-1)?.result !== undefined;
      await until(isEnough);
      if (kills < 3 * (round + 1) && stream.messages.at(-1)?.result === undefined) {
        kills++;
        await cluster.endNode(holder);
        await stream.over;
        received.take(stream);
        await cluster.startNode(holder);
      } else {
        await stream.over;
        received.take(stream);
      }
    }
    received.assertSteps(count);
  }
  t.diagnostic(`${kills} nodes killed`);
  assert.ok(kills > 0);
});

test('[F-66] if the node that runs the call is killed as well, its events are not lost, and the session continues', async () => {
  const session = await beginSession(nodes[0]!.url, REVISION);
  const running = session.begin(call('steps', { name: newName(), count: 10_000, pauseMs: 10 }));
  await until(() => running.events.length >= 5);
  await cluster.endNode(0);
  await running.over;
  const received = new Received();
  received.take(running);
  const sent = received.ids.length;
  const at = sessionAt(nodes[1]!.url, session.id, REVISION);
  // From its beginning, and from where it broke.
  const whole = at.listen({ 'last-event-id': received.ids[0]! });
  await until(() => whole.events.length >= sent - 1);
  const rest = sessionAt(nodes[2]!.url, session.id, REVISION).listen({ 'last-event-id': received.lastId });
  assert.equal(await rest.status, 200);
  received.take(rest);
  received.assertInOrder();
  assert.equal((await at.request('ping')).status, 200);
  for (const stream of [whole, rest]) stream.drop();
  await cluster.startNode(0);
});

test('[F-66] if the node of its notifications is killed, a client misses no change', async () => {
  const [first, second, third] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const session = await beginSession(first.url, REVISION);
  await session.request('resources/subscribe', { uri: WATCHED });
  const listening = session.listen();
  await until(() => listening.events.length > 0);
  const { id } = listening.events.at(-1)!;
  await cluster.endNode(0);
  await listening.over;
  // No stream is open, and the node that would have kept the change for the next one is gone.
  await modern(second.url, 'tools/call', { name: 'change' });
  const next = sessionAt(third.url, session.id, REVISION).listen({ 'last-event-id': id });
  await next.next(({ method }) => method === 'notifications/resources/updated');
  next.drop();
  await cluster.startNode(0);
});

test('[F-67] after Redis was restarted, streams and sessions go on by themselves, none gets what belongs to another, and no change is missed', async () => {
  const callers = await Promise.all(
    nodes.map(async ({ url }, at) => {
      const session = await beginSession(balancer.url, REVISION);
      await session.request('resources/subscribe', { uri: WATCHED });
      const name = newName();
      const running = sessionAt(url, session.id, REVISION).begin(call('steps', { name, count: 80, pauseMs: 25 }, at));
      return { name, running, session, listening: sessionAt(nodes[(at + 1) % 3]!.url, session.id, REVISION).listen() };
    }),
  );
  for (const { running, listening } of callers) {
    await running.next();
    assert.equal(await listening.status, 200);
  }
  await cluster.redis.kill();
  await Promise.all(nodes.map((node) => node.isReady(503)));
  // The other nodes hear of it only if they are back on the bus before it.
  await modern(nodes[0]!.url, 'tools/call', { name: 'change' });
  await cluster.redis.start();
  await cluster.areReady();
  for (const { name, running, session } of callers) {
    const result = await running.next((message) => message.result !== undefined || message.error !== undefined);
    assert.equal(result.result?.content[0].text, name, JSON.stringify(result));
    const received = new Received();
    received.take(running);
    received.assertSteps(80);
    assert.ok(received.messages.every(({ params }) => params === undefined || params.message === name));
    // Everything that was sent meanwhile was stored since.
    let resumed: Live | undefined;
    await until(async () => {
      resumed = session.listen({ 'last-event-id': received.ids[0]! });
      if ((await resumed.status) !== 200) return false;
      await resumed.over;
      return resumed.messages.length === received.messages.length;
    });
    assert.deepEqual(resumed!.messages, received.messages);
  }
  // Each node knows that it may have missed changes, and tells its clients.
  for (const { listening } of callers)
    await listening.next(({ method }) => method === 'notifications/resources/updated');
  for (const { listening } of callers) listening.drop();
});

for (const how of ['refuse', 'hold'] as const)
  test(`[F-68] a node that is cut off from Redis (${how}) is not ready, refuses what it cannot know, and changes nothing that others took over`, async (t) => {
    const [cut, other] = nodes as [ClusterNode, ClusterNode, ClusterNode];
    const session = await beginSession(cut.url, REVISION);
    const elsewhere = sessionAt(other.url, session.id, REVISION);
    const [stranger, ended] = [await beginSession(other.url, REVISION), await beginSession(cut.url, REVISION)];
    const running = session.begin(call('steps', { name: newName(), count: 5 }));
    await running.over;
    const name = newName();
    const taskId = await startTask(cut.url, 'rework', { name, after: 1_500 });
    await until(() => cluster.effectsOf(name, 'recorded') === 1);
    const mend = cut.cutOff(how);
    t.after(mend);
    await cut.isReady(503);
    await cluster.dealsTo(cut, false);
    // Who comes through the balancer is served by the others.
    const late = performance.now() + rounds(0, 60_000);
    for (let n = 0; n < 6 || performance.now() < late; n++) {
      const pid = textOf(await sessionAt(balancer.url, session.id, REVISION).request('tools/call', { name: 'node' }));
      assert.notEqual(pid, cut.pid);
    }
    // Who still comes here gets no answer that might be wrong.
    const refusals = {
      'a new session': send(cut.url, 'POST', JSON_FIELDS, initializeBody(REVISION)),
      'a session of another node': sessionAt(cut.url, stranger.id, REVISION).request('ping'),
      'a change of a session': session.request('logging/setLevel', { level: 'debug' }),
      'the end of a session': session.delete(),
      'the rest of a stream': send(cut.url, 'GET', {
        ...session.fields,
        accept: 'text/event-stream',
        'last-event-id': running.events[0]!.id,
      }),
      'a task': modern(cut.url, 'tasks/get', { taskId }),
      'a new task': modern(cut.url, 'tools/call', { name: 'work', arguments: { name: newName() } }),
    };
    for (const [what, answer] of Object.entries(refusals)) assertRefused(await answer, what);
    assert.equal((await modern(cut.url, 'tools/call', { name: 'node' })).status, 200, 'what needs no state is served');
    // Meanwhile others take over its task, and change and end its sessions.
    const task = await endOf(other.url, taskId);
    assert.equal(task.result?.content[0].text, name, JSON.stringify(task));
    assert.equal((await sessionAt(other.url, ended.id, REVISION).delete()).status, 204);
    await elsewhere.request('resources/subscribe', { uri: WATCHED });
    mend();
    await cut.isReady();
    assert.equal((await ended.request('ping')).status, 404);
    const listening = session.listen();
    assert.equal(await listening.status, 200);
    await until(async () => {
      await modern(other.url, 'tools/call', { name: 'change' });
      await sleep(50);
      return listening.messages.some(({ method }) => method === 'notifications/resources/updated');
    });
    listening.drop();
    assert.equal(cluster.effectsOf(name), 1);
    // Its own run of the task has ended, too. That has changed nothing, not even the time of the last change.
    for (const { url } of nodes)
      assert.deepEqual({ ...(await endOf(url, taskId)), _meta: undefined }, { ...task, _meta: undefined });
  });

test('[F-69] what a node sends that the others do not hear reaches its client once, on its newest connection', async (t) => {
  const [unheard, second, third] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const session = await beginSession(unheard.url, REVISION);
  // It reaches the store, but not the bus.
  const mend = unheard.bus.interrupt('refuse');
  t.after(mend);
  const count = 60;
  const connections = [session.begin(call('steps', { name: newName(), count, pauseMs: 100 }))];
  await connections[0]!.next();
  for (const { url } of [second, third]) {
    const last = connections.at(-1)!.events.at(-1)!.id;
    connections.push(sessionAt(url, session.id, REVISION).listen({ 'last-event-id': last }));
    await connections.at(-1)!.next();
  }
  await Promise.all(connections.map(({ over }) => over));
  const received = new Received();
  const got = connections.map(({ events }) => events.filter(({ id }) => id !== '').map(({ id }) => id));
  // Each connection ends where the next one begins, but for what was on its way.
  for (const [at, ids] of got.entries()) {
    const next = got[at + 1] ?? [];
    const twice = ids.filter((id) => next.includes(id));
    assert.ok(twice.length <= 2, `${twice.length} of ${next.length} events came twice: ${twice.join()}`);
    received.ids.push(...ids.filter((id) => !next.includes(id)));
  }
  received.assertInOrder();
  assert.equal(connections.at(-1)!.messages.at(-1).result?.content[0].text !== undefined, true);
});

test('[F-69] the answer to a question, and a cancellation, reach their call although its node is cut off from the bus when they are sent', async () => {
  const [deaf, other] = nodes as [ClusterNode, ClusterNode, ...ClusterNode[]];
  const session = await beginSession(deaf.url, REVISION, { elicitation: {} });
  const elsewhere = sessionAt(other.url, session.id, REVISION);
  const name = newName();
  const asking = session.begin(call('charge', { name }));
  const question = await asking.next(({ method }) => method === 'elicitation/create');
  const running = session.begin(call('steps', { name: newName(), count: 100_000 }, 2));
  await running.next();
  const mend = deaf.bus.interrupt('refuse');
  const result = { action: 'accept', content: { word: 'yes' } };
  const sent = [
    await elsewhere.post({ jsonrpc: '2.0', id: question.id, result }),
    await elsewhere.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }),
  ];
  assert.deepEqual(
    sent.map(({ status }) => status),
    [202, 202],
  );
  mend();
  assert.equal((await asking.next(({ id }) => id === 1)).result.content[0].text, `${name} yes`);
  assert.equal(cluster.effectsOf(name), 1);
  await running.over;
  assert.ok(running.messages.every((message) => message.result === undefined));
});

test('[F-70] with a Redis that is 200 ms away and a network that loses 1 %, everything works, and little waits', async (t) => {
  const random = seededRandom(1);
  const ends = nodes.flatMap(({ store, bus }) =>
    [store, bus].map((network) => network.impair({ delayMs: 100, loss: 0.01, random })),
  );
  const before = nodes.map((node) => node.memory());
  const answers = { sure: { word: 'yes' } };
  const work = async (revision: '2026-07-28' | '2025-11-25', at: number): Promise<void> => {
    await using client = await connect(balancer.url, { revision, answers, tasks: revision === '2026-07-28' });
    for (let n = 0; n < rounds(2, 100); n++) {
      const name = `far ${at} ${n} ${revision}`;
      assert.equal(await client.call('echo', { text: name }), name);
      const seen: unknown[] = [];
      const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
      assert.equal(await client.call('steps', { name, count: 5 }, { onProgress }), name);
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
      assert.equal(await client.call('charge', { name }), `${name} yes`);
      if (revision === '2026-07-28') assert.equal(await (await client.start('work', { name })).value(), name);
    }
  };
  const took: number[] = [];
  const timed = async (act: Promise<void>): Promise<void> => {
    const began = performance.now();
    await act;
    took.push(performance.now() - began);
  };
  // Clients who call at the same time.
  await Promise.all(Array.from({ length: 12 }, (_, at) => timed(work(at % 2 === 0 ? '2026-07-28' : '2025-11-25', at))));
  for (const end of ends) end();
  const after = nodes.map((node) => node.memory());
  const grown = after.map((bytes, at) => Math.round((bytes - before[at]!) / 2 ** 20));
  t.diagnostic(
    `the slowest client took ${Math.round(Math.max(...took))} ms; the nodes grew by ${grown.join(', ')} MiB`,
  );
  for (const each of grown) assert.ok(each < 64, `grew by ${each} MiB`);
});

test('[F-71] a node that takes messages too slowly is disconnected by Redis, and its client still gets every event once', async () => {
  const [runner, slow] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  await cluster.command('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 1mb 512kb 1');
  const session = await beginSession(runner.url, REVISION);
  const count = 200;
  const running = session.begin(call('steps', { name: newName(), count, pauseMs: 20 }));
  await running.next();
  running.drop();
  const received = new Received();
  received.take(running);
  const channels = async (): Promise<readonly string[]> =>
    (await cluster.command('PUBSUB', 'CHANNELS')) as readonly string[];
  const others = await channels();
  const rest = sessionAt(slow.url, session.id, REVISION).listen({ 'last-event-id': received.lastId });
  await rest.next();
  const [channel] = (await channels()).filter((name) => !others.includes(name));
  const goOn = slow.bus.stopReading();
  const subscribers = async (): Promise<number> =>
    String(await cluster.command('CLIENT', 'LIST', 'TYPE', 'pubsub')).match(/^id=/gm)?.length ?? 0;
  const before = await subscribers();
  // More than the buffers of the system take.
  const large = JSON.stringify({ at: 0, count: 1, content: 'x'.repeat(1_000_000), last: false, owner: 0 });
  await until(async () => {
    await cluster.command('PUBLISH', channel!, large);
    return (await subscribers()) < before;
  }, 'Redis disconnects it');
  goOn();
  await rest.over;
  received.take(rest);
  assert.ok(received.hasResult);
  received.assertSteps(count);
});

test('[F-72] without memory in Redis, what would have to be stored is refused and may be repeated; everything else works', async (t) => {
  const [{ url }] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const session = await beginSession(url, REVISION, { elicitation: {} });
  const done = session.begin(call('steps', { name: newName(), count: 3 }));
  await done.over;
  const name = newName();
  const taskId = await startTask(url, 'rework', { name, before: 1_500 });
  const charge = { name: newName() };
  const asked = (await modern(url, 'tools/call', { name: 'charge', arguments: charge })).json.result;
  const setMemory = (bytes: string) => cluster.command('CONFIG', 'SET', 'maxmemory', bytes);
  t.after(() => setMemory('0'));
  await setMemory('1');
  const writes: Readonly<Record<string, () => Promise<Answer>>> = {
    'a new session': () => send(url, 'POST', JSON_FIELDS, initializeBody(REVISION)),
    'a new task': () => modern(url, 'tools/call', { name: 'work', arguments: { name: newName() } }),
    'an action': () =>
      modern(url, 'tools/call', {
        name: 'charge',
        arguments: charge,
        requestState: asked.requestState,
        inputResponses: { sure: { action: 'accept', content: { word: 'yes' } } },
      }),
  };
  for (const [what, write] of Object.entries(writes)) {
    let answer = await write();
    // Redis lets a script go on that has removed something that had expired.
    for (let n = 1; n < 20 && answer.json.error === undefined; n++) answer = await write();
    assertRefused(answer, what);
  }
  // Reading.
  const echo = { name: 'echo', arguments: { text: 'read' } };
  for (const node of nodes)
    assert.equal(textOf(await sessionAt(node.url, session.id, REVISION).request('tools/call', echo)), 'read');
  const again = session.listen({ 'last-event-id': done.events[0]!.id });
  await again.over;
  assert.deepEqual(again.messages, done.messages);
  // A call that runs is answered, and a task that runs ends.
  const running = session.begin(call('steps', { name, count: 3 }));
  assert.equal((await running.next(({ result }) => result !== undefined)).result.content[0].text, name);
  const task = await endOf(url, taskId);
  assert.equal(task.result?.content[0].text, name, JSON.stringify(task));
  await setMemory('0');
  await beginSession(url, REVISION);
  // What could not be stored was stored since.
  await until(async () => {
    const rest = session.listen({ 'last-event-id': running.events[0]!.id });
    await rest.over;
    return rest.messages.length === running.messages.length;
  });
});

test('[F-73] while all nodes are replaced one after the other, no call fails and no stream or task is lost', async () => {
  const over = new AbortController();
  const failures: string[] = [];
  let calls = 0;
  const answers = { sure: { word: 'yes' } };
  const work = async (revision: '2026-07-28' | '2025-11-25'): Promise<void> => {
    await using client = await connect(balancer.url, { revision, answers, tasks: revision === '2026-07-28' });
    while (!over.signal.aborted) {
      const name = newName();
      try {
        assert.equal(await client.call('echo', { text: name }), name);
        assert.equal(await client.call('steps', { name, count: 10 }), name);
        assert.equal(await client.call('charge', { name }), `${name} yes`);
        if (revision === '2026-07-28') assert.equal(await (await client.start('rework', { name })).value(), name);
        calls++;
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const working = [work('2026-07-28'), work('2025-11-25'), work('2026-07-28'), work('2025-11-25')];
  for (let round = 0; round < rounds(1, 20); round++)
    for (const at of nodes.keys()) {
      const before = calls;
      await until(() => calls > before + 3 || failures.length > 0);
      await cluster.replaceNode(at);
    }
  over.abort();
  await Promise.all(working);
  assert.deepEqual(failures, []);
});
