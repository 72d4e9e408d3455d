import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { turns, until } from '../../../../../scripts/lib/until.ts';
import type { Bus } from '../../store/bus.ts';
import { memoryBus } from '../../store/memory-bus.ts';
import { Cluster, type NodeMessage } from './cluster.ts';
import { createNodeBus } from './node-bus.ts';

const CHANGE = { kind: 'change', server: 'x', change: { list: 'tools' } } as const;

function cancelled(id: string): NodeMessage {
  return { kind: 'cancelled', session: 's', id, reason: 'enough' };
}

function response(id: string): NodeMessage {
  return { kind: 'response', session: 's', response: { jsonrpc: '2.0', id, result: {} } };
}

/** A bus that can be away: it takes nothing then, or takes and loses everything. Messages to its own node are lost then, too. */
class BreakingBus implements Bus {
  state: 'works' | 'refuses' | 'loses' = 'works';
  /** The messages of this topic are lost until it works for this topic, too. */
  late: string | undefined;
  /** The topics of all messages of its node. */
  readonly published: string[] = [];
  readonly #bus: Bus;
  readonly #interruptions: [topic: string, missed: () => void][] = [];

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  publish(topic: string, message: unknown): void | PromiseLike<void> {
    this.published.push(topic);
    if (this.state === 'refuses') throw Object.assign(new Error('away'), { code: 'unavailable' });
    return this.state === 'loses' ? undefined : this.#bus.publish(topic, message);
  }

  subscribe(topic: string, listener: (message: unknown) => void, missed?: () => void) {
    if (this.state !== 'works') throw Object.assign(new Error('away'), { code: 'unavailable' });
    if (missed !== undefined) this.#interruptions.push([topic, missed]);
    return this.#bus.subscribe(topic, (message) => {
      if (this.state === 'works' && topic !== this.late) listener(message);
    });
  }

  /** It works again, and says so. */
  recover(): void {
    this.state = 'works';
    for (const [topic, missed] of this.#interruptions) if (topic !== this.late) missed();
  }

  /** It works for the late topic, too. */
  recoverLate(): void {
    const [late] = this.#interruptions.filter(([topic]) => topic === this.late);
    this.late = undefined;
    late![1]();
  }
}

/** A node with its bus, what it heard, and how often it may have missed something. */
function openNode(t: TestContext, bus: Bus) {
  const own = new BreakingBus(bus);
  const heard: NodeMessage[] = [];
  const counts = { missed: 0 };
  const open = () => {
    const cluster = new Cluster(
      createNodeBus(own, () => {}),
      { handle: (message) => heard.push(message), missed: () => (counts.missed += 1) },
    );
    t.after(() => cluster.close());
    return cluster;
  };
  return { bus: own, heard, counts, open };
}

/** Two nodes that know each other. */
async function pair(t: TestContext, bus = memoryBus()) {
  const [first, second] = [openNode(t, bus), openNode(t, bus)];
  const nodes = { first: first.open(), second: second.open() };
  await until(() => nodes.first.hasOthers && nodes.second.hasOthers);
  return { first: { ...first, cluster: nodes.first }, second: { ...second, cluster: nodes.second } };
}

test('nodes find each other, also if the bus was away when one of them joined', async (t) => {
  const bus = memoryBus();
  const [first, second] = [openNode(t, bus), openNode(t, bus)];
  second.bus.state = 'refuses';
  const nodes = [first.open(), second.open()];
  await turns();
  assert.ok(nodes.every(({ hasOthers }) => !hasOthers));
  second.bus.state = 'works';
  await until(() => nodes.every(({ hasOthers }) => hasOthers));
  // What was sent before it could listen.
  await until(() => second.counts.missed === 1);
});

test('after an interruption of one node, that node may have missed messages, and so may the others, of its own', async (t) => {
  const { first, second } = await pair(t);
  assert.deepEqual([first.counts, second.counts], [{ missed: 0 }, { missed: 0 }]);
  first.bus.recover();
  await until(() => second.counts.missed > 0);
  assert.equal(first.counts.missed, 1);
});

test('a message to all nodes that the bus does not take is noticed by the others with the next one', async (t) => {
  const { first, second } = await pair(t);
  first.bus.state = 'refuses';
  first.cluster.broadcast(CHANGE);
  await turns();
  first.bus.state = 'works';
  first.cluster.broadcast(CHANGE);
  await until(() => second.counts.missed > 0);
  first.cluster.broadcast(CHANGE);
  await turns();
  assert.deepEqual([first.counts.missed, second.counts.missed], [0, 1]);
});

test('a message to all nodes that the bus does not take is noticed by the others some time later, if there is no next one', async (t) => {
  const { first, second } = await pair(t);
  const time = stopTime(t);
  first.bus.state = 'refuses';
  first.cluster.broadcast(CHANGE);
  await turns();
  await time.pass(5_000);
  assert.equal(second.counts.missed, 0, 'the bus is still away');
  first.bus.state = 'works';
  await time.pass(5_000);
  await time.pass(5_000);
  assert.equal(second.counts.missed, 1);
});

for (const who of ['receiver', 'sender'] as const)
  test(`answers and cancellations that were lost while the bus of the ${who} was interrupted arrive afterwards, once and in order`, async (t) => {
    const { first, second } = await pair(t);
    await first.cluster.send(second.cluster.node, response('before'));
    await until(() => second.heard.length === 1);
    const broken = who === 'receiver' ? second.bus : first.bus;
    broken.state = 'loses';
    await first.cluster.send(second.cluster.node, response('a'));
    first.cluster.broadcast(cancelled('b'));
    first.cluster.broadcast(CHANGE);
    await turns();
    assert.equal(second.heard.length, 1);
    for (let times = 0; times < 2; times++) broken.recover();
    await until(() => second.heard.length >= 3);
    await turns();
    // The change is made up for by `missed`.
    assert.deepEqual(second.heard, [response('before'), response('a'), cancelled('b')]);
  });

test('an answer arrives also if the subscription of its node to its own messages works again later than the other', async (t) => {
  const { first, second } = await pair(t);
  second.bus.state = 'loses';
  second.bus.late = `tenon/node/${second.cluster.node}`;
  await first.cluster.send(second.cluster.node, response('a'));
  second.bus.recover();
  await until(() => first.counts.missed > 0);
  await turns();
  assert.deepEqual(second.heard, []);
  second.bus.recoverLate();
  await until(() => second.heard.length > 0);
  assert.deepEqual(second.heard, [response('a')]);
});

test('a cancellation that the bus refused is sent again once the bus works, because its client was told that it was accepted', async (t) => {
  const { first, second } = await pair(t);
  const time = stopTime(t);
  first.bus.state = 'refuses';
  first.cluster.broadcast(cancelled('a'));
  await turns();
  first.bus.state = 'works';
  await time.pass(5_000);
  await turns();
  assert.deepEqual(second.heard, [cancelled('a')]);
});

test('a closed node sends nothing more, even if the bus refused its last message', async (t) => {
  const { first, second } = await pair(t);
  const time = stopTime(t);
  first.bus.state = 'refuses';
  first.cluster.broadcast(CHANGE);
  first.cluster.close();
  await turns();
  first.bus.state = 'works';
  await time.pass(20_000);
  assert.equal(second.counts.missed, 0);
});

test('neither messages for nodes that do not exist, nor long ones, nor many of one session displace those of others', async (t) => {
  const { first, second } = await pair(t);
  const { node } = second.cluster;
  second.bus.state = 'loses';
  const answer = { ...response('mine'), session: 'mine' } as NodeMessage;
  await first.cluster.send(node, answer);
  for (let n = 0; n < 2_000; n++) {
    await first.cluster.send('gone', { kind: 'posted', session: `${n}`, text: 'x' });
    await first.cluster.send(node, { kind: 'posted', session: `${n}`, text: 'x' });
    await first.cluster.send(node, response(`${n}`));
  }
  for (let n = 0; n < 10; n++)
    await first.cluster.send(node, { kind: 'posted', session: 'long', text: 'x'.repeat(3_900_000) });
  second.bus.recover();
  await until(() => second.heard.length > 0);
  await turns();
  assert.deepEqual(second.heard[0], answer);
  assert.ok(second.heard.length < 1_000, String(second.heard.length));
});

test('a message to an unknown node is not sent again', async (t) => {
  const { first, second } = await pair(t);
  await first.cluster.send('made up', response('a'));
  await first.cluster.send(second.cluster.node, response('b'));
  first.bus.recover();
  await turns();
  const timesSent = (node: string) => first.bus.published.filter((topic) => topic === `tenon/node/${node}`).length;
  assert.equal(timesSent('made up'), 1);
  assert.ok(timesSent(second.cluster.node) > 1);
});

test('what a node could not send, it does not send again: its caller was told', async (t) => {
  const { first, second } = await pair(t);
  first.bus.state = 'refuses';
  assert.equal(await first.cluster.send(second.cluster.node, response('a')), false);
  first.bus.recover();
  await until(() => second.counts.missed > 0);
  await turns();
  assert.deepEqual(second.heard, []);
});

test('messages outside calls are not sent again, because another node may have delivered them', async (t) => {
  const { first, second } = await pair(t);
  second.bus.state = 'loses';
  await first.cluster.send(second.cluster.node, { kind: 'unsent', session: 's', messages: ['once'] });
  await first.cluster.send(second.cluster.node, response('a'));
  second.bus.recover();
  await until(() => second.heard.length > 0);
  await turns();
  assert.deepEqual(second.heard, [response('a')]);
});

test('messages are sent again for a minute, to the nodes that they were for', async (t) => {
  const bus = memoryBus();
  const third = openNode(t, bus);
  const { first, second } = await pair(t, bus);
  const other = third.open();
  await until(() => other.hasOthers);
  const time = stopTime(t);
  for (const { bus: own } of [second, third]) own.state = 'loses';
  await first.cluster.send(second.cluster.node, response('old'));
  await time.pass(50_000);
  await first.cluster.send(second.cluster.node, response('new'));
  await time.pass(11_000);
  for (const { bus: own } of [second, third]) own.recover();
  await turns();
  assert.deepEqual([second.heard, third.heard], [[response('new')], []]);
});
