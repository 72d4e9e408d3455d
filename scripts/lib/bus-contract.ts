// The requirements for every bus, as tests: each implementation runs all of them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Bus } from 'tenon/http';
import { KEYS } from './store-model.ts';
import { until } from './until.ts';

interface ClosableBus extends Bus {
  close(): Promise<void>;
}

/** The buses of two nodes, which pass messages to each other. */
export interface BusStage {
  readonly a: Bus;
  readonly b: Bus;
}

/** The buses of two nodes with a server between them. */
export interface ServerBusStage extends BusStage {
  readonly a: ClosableBus;
  readonly b: ClosableBus;
  /** Kills the server, and starts it again. */
  readonly restart: () => Promise<void>;
}

/** Topics that a careless implementation confuses with patterns, or with each other. */
const TOPICS: readonly string[] = [
  ...KEYS,
  ...['a.b', 'a.*', 'a.>', '>', '.', 'a b', 'a\r\nb', '$SYS', 'x'.repeat(10_000), `${'x'.repeat(10_000)}y`],
];

/** Keeps what arrives. */
function inbox() {
  const messages: unknown[] = [];
  return { messages, listener: (message: unknown) => void messages.push(message) };
}

/** Tests a kind of bus. `open` connects two nodes, which the caller closes after the tests. */
export function busContract(kind: string, open: () => BusStage | Promise<BusStage>): void {
  describe(`the contract of buses: ${kind}`, () => passing(open));
}

/** Tests a kind of bus with a server, also that the server is restarted. */
export function serverBusContract(kind: string, open: () => Promise<ServerBusStage>): void {
  describe(`the contract of buses: ${kind}`, () => {
    passing(open);
    leaving(open);
  });
}

function passing(open: () => BusStage | Promise<BusStage>): void {
  test('a message reaches all subscribers of its topic, on every node, also on that of its sender', async () => {
    const { a, b } = await open();
    const [atA, atB, other] = [inbox(), inbox(), inbox()];
    await a.subscribe('topic', atA.listener);
    await b.subscribe('topic', atB.listener);
    await b.subscribe('other', other.listener);
    await a.publish('topic', { from: 'a' });
    await until(() => atA.messages.length === 1 && atB.messages.length === 1);
    await b.publish('topic', { from: 'b' });
    await until(() => atA.messages.length === 2 && atB.messages.length === 2);
    await a.publish('nobody', 1);
    await a.publish('other', 'last');
    await until(() => other.messages.length === 1);
    for (const { messages } of [atA, atB]) assert.deepEqual(messages, [{ from: 'a' }, { from: 'b' }]);
    assert.deepEqual(other.messages, ['last']);
  });

  test('the messages of each node on a topic arrive in order, and once', async () => {
    const { a, b } = await open();
    const inboxes = [inbox(), inbox()];
    await a.subscribe('topic', inboxes[0]!.listener);
    await b.subscribe('topic', inboxes[1]!.listener);
    const sent: unknown[] = [];
    for (let n = 0; n < 500; n++) sent.push(a.publish('topic', ['a', n]), b.publish('topic', ['b', n]));
    await Promise.all(sent);
    await until(() => inboxes.every(({ messages }) => messages.length >= 1_000));
    for (const { messages } of inboxes)
      for (const name of ['a', 'b']) {
        const own = (messages as [string, number][]).filter(([from]) => from === name).map(([, n]) => n);
        assert.deepEqual(
          own,
          Array.from({ length: 500 }, (_, n) => n),
        );
      }
  });

  test('who unsubscribes gets nothing more, and others still do', async () => {
    const { a, b } = await open();
    const [leaving, staying] = [inbox(), inbox()];
    const unsubscribe = await b.subscribe('topic', leaving.listener);
    const leave = await b.subscribe('topic', staying.listener);
    await a.publish('topic', 1);
    await until(() => leaving.messages.length === 1 && staying.messages.length === 1);
    unsubscribe();
    unsubscribe();
    await a.publish('topic', 2);
    await until(() => staying.messages.length === 2);
    assert.deepEqual(leaving.messages, [1]);
    // After the last one has left, and come back at once.
    leave();
    await b.subscribe('topic', leaving.listener);
    await a.publish('topic', 3);
    await until(() => leaving.messages.length === 2);
    assert.deepEqual(
      [leaving.messages, staying.messages],
      [
        [1, 3],
        [1, 2],
      ],
    );
  });

  test('who is unsubscribed while a message is delivered does not get it', async () => {
    const { a } = await open();
    const arrived: string[] = [];
    const unsubscribes: (() => void)[] = [];
    for (const [name, other] of [
      ['first', 1],
      ['second', 0],
    ] as const) {
      const listener = (): void => {
        arrived.push(name);
        unsubscribes[other]!();
      };
      unsubscribes.push(await a.subscribe('topic', listener));
    }
    const last = inbox();
    await a.subscribe('topic', last.listener);
    await a.publish('topic', 1);
    await until(() => last.messages.length === 1);
    assert.deepEqual(arrived, ['first']);
  });

  test('the same function may subscribe twice, and unsubscribe once', async () => {
    const { a, b } = await open();
    const { messages, listener } = inbox();
    const unsubscribe = await b.subscribe('topic', listener);
    await b.subscribe('topic', listener);
    await a.publish('topic', 1);
    await until(() => messages.length === 2);
    unsubscribe();
    await a.publish('topic', 2);
    await until(() => messages.length === 3);
    assert.deepEqual(messages, [1, 1, 2]);
  });

  test('topics of any text are topics, each a different one', async () => {
    const { a, b } = await open();
    const inboxes = TOPICS.map(() => inbox());
    await Promise.all(TOPICS.map((topic, at) => b.subscribe(topic, inboxes[at]!.listener)));
    for (const [at, topic] of TOPICS.entries()) await a.publish(topic, at);
    await until(() => inboxes.every(({ messages }) => messages.length > 0));
    assert.deepEqual(
      inboxes.map(({ messages }) => messages),
      TOPICS.map((_, at) => [at]),
    );
  });

  test('a message of several megabytes arrives as it is, in its place', async () => {
    const { a, b } = await open();
    const { messages, listener } = inbox();
    await b.subscribe('topic', listener);
    const text = 'ä€😀\u0000"'.repeat(300_000);
    await Promise.all([a.publish('topic', 'before'), a.publish('topic', { text }), a.publish('topic', 'after')]);
    await until(() => messages.length === 3);
    assert.deepEqual([messages[0], messages[2]], ['before', 'after']);
    assert.equal((messages[1] as { readonly text: string }).text, text);
  });

  test('a message is JSON, and every subscriber gets a copy of its own', async () => {
    const { a } = await open();
    const [one, other] = [inbox(), inbox()];
    await a.subscribe('topic', one.listener);
    await a.subscribe('topic', other.listener);
    const values = [null, undefined, 1.5, 'x', [undefined], { a: undefined, b: new Date(0) }, '\ud800'];
    for (const value of values) await a.publish('topic', value);
    const shared = { list: [1] };
    const published = a.publish('topic', shared);
    shared.list.push(2);
    await published;
    await until(() => one.messages.length > values.length && other.messages.length > values.length);
    const last = one.messages.at(-1) as typeof shared;
    last.list.push(3);
    const expected = [null, null, 1.5, 'x', [null], { b: '1970-01-01T00:00:00.000Z' }, '\ud800', { list: [1] }];
    assert.deepEqual(other.messages, expected);
    assert.deepEqual(one.messages.slice(0, -1), expected.slice(0, -1));
  });
}

function leaving(open: () => Promise<ServerBusStage>): void {
  test('when its server was killed and is there again, messages arrive again, and each at most once', async () => {
    const { a, b, restart } = await open();
    const inboxes = [inbox(), inbox()];
    await a.subscribe('topic', inboxes[0]!.listener);
    await b.subscribe('topic', inboxes[1]!.listener);
    let n = 0;
    const publish = (name: string, bus: Bus): Promise<unknown> =>
      (async () => bus.publish('topic', [name, n++]))().catch((error: Error & { code?: string }) =>
        assert.equal(error.code, 'unavailable', String(error)),
      );
    const restarted = restart();
    while (!(await Promise.race([restarted.then(() => true), publish('a', a).then(() => false)])));
    const firstAfter = n;
    const hasNew = ({ messages }: { readonly messages: unknown[] }, name: string): boolean =>
      (messages as [string, number][]).some(([from, at]) => from === name && at >= firstAfter);
    await until(async () => {
      await Promise.all([publish('a', a), publish('b', b)]);
      return inboxes.every((each) => hasNew(each, 'a') && hasNew(each, 'b'));
    });
    for (const { messages } of inboxes)
      for (const name of ['a', 'b']) {
        const own = (messages as [string, number][]).filter(([from]) => from === name).map(([, at]) => at);
        assert.deepEqual(
          own,
          [...new Set(own)].toSorted((x, y) => x - y),
        );
      }
  });

  test('when messages arrive again after its server was killed, each subscriber is told that some may be lost', async () => {
    const { a, b, restart } = await open();
    let told = 0;
    const { messages, listener } = inbox();
    await b.subscribe('topic', listener, () => told++);
    const unsubscribe = await b.subscribe(
      'topic',
      () => {},
      () => assert.fail('it has left'),
    );
    await a.publish('topic', 1);
    await until(() => messages.length === 1);
    assert.equal(told, 0);
    unsubscribe();
    await restart();
    await until(() => told === 1);
    await a.publish('topic', 2);
    await until(() => messages.length === 2);
    assert.equal(told, 1);
  });

  test('after a node has closed its bus, it gets nothing more, and the other one goes on', async () => {
    const { a, b } = await open();
    const [atA, atB] = [inbox(), inbox()];
    await a.subscribe('topic', atA.listener);
    await b.subscribe('topic', atB.listener);
    await a.publish('topic', 1);
    await until(() => atA.messages.length === 1 && atB.messages.length === 1);
    const last = a.publish('topic', 2);
    await b.close();
    const before = atB.messages.length;
    await last;
    await a.publish('topic', 3);
    await until(() => atA.messages.length === 3);
    assert.equal(atB.messages.length, before);
    await assert.rejects(async () => b.publish('topic', 4), { code: 'closed' });
    await assert.rejects(async () => b.subscribe('topic', () => {}), { code: 'closed' });
    await b.close();
  });
}
