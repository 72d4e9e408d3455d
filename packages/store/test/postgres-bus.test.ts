// A bus in PostgreSQL, and what happens to it and to a store while the server is away. The server is stopped as by a crash, and keeps what it
// has written to the disk.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type DurableStore, openBus, openStore, type SharedBus, sweepStore } from '@tenon/store';
import { PATIENCE_MS, until } from '../../../scripts/lib/until.ts';
import { serverBusContract } from '../../../scripts/lib/bus-contract.ts';
import { startTcpProxy } from '../../../scripts/lib/tcp-proxy.ts';
import { addressAt, engineForThisFile, sql } from './postgres-kit.ts';

// The time that a crash loses of what need not be on disk is as long as possible.
const engine = await engineForThisFile(['fsync = on', 'wal_writer_delay = 10s', 'wal_writer_flush_after = 1GB']);
const { port } = engine;
const LONG = 1e9;

const open: AsyncDisposable[] = [];
after(() => Promise.all(open.map((each) => each[Symbol.asyncDispose]())));
function closedLater<T extends AsyncDisposable>(opened: T): T {
  open.push(opened);
  return opened;
}

async function bus(parameters: Readonly<Record<string, string>> = {}, tenant?: string): Promise<SharedBus> {
  return closedLater(await openBus(addressAt(port, parameters), { tenant, busyMs: PATIENCE_MS }));
}

async function store(parameters: Readonly<Record<string, string>> = {}, busyMs = PATIENCE_MS): Promise<DurableStore> {
  return closedLater(await openStore(addressAt(port, parameters), { busyMs }));
}

/** Subscribes, and collects the messages. */
async function messagesOf(from: SharedBus, topic: string): Promise<unknown[]> {
  const got: unknown[] = [];
  await from.subscribe(topic, (message) => got.push(message));
  return got;
}

/** Publishes without waiting in between. */
async function publishAll(to: SharedBus, topic: string, messages: readonly unknown[]): Promise<void> {
  await Promise.all(messages.map((message) => to.publish(topic, message)));
}

const [near, far] = [await bus(), await bus()];
const polling = await bus({ listen: 'poll' });

let schemas = 0;
serverBusContract('in PostgreSQL', async () => {
  const schema = { schema: `contract${++schemas}` };
  const restart = async (): Promise<void> => {
    await engine.stop();
    await engine.start();
  };
  return { a: await bus(schema), b: await bus(schema), restart };
});

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, n) => n);
}

test('the messages of one node on one topic arrive in order and once, at every node with a subscriber, also at itself', async () => {
  const nodes = [near, far, polling];
  const got = await Promise.all(nodes.map((node) => messagesOf(node, 'order')));
  await publishAll(near, 'order', numbers(500));
  for (const each of got) {
    await until(() => each.length >= 500);
    assert.deepEqual(each, numbers(500));
  }
});

test('messages of several nodes at the same time arrive all, those of each node in order', async () => {
  const nodes = [near, far, polling];
  const got = await Promise.all(nodes.map((node) => messagesOf(node, 'together')));
  await Promise.all(
    nodes.map((node, at) =>
      publishAll(
        node,
        'together',
        numbers(200).map((n) => [at, n]),
      ),
    ),
  );
  for (const each of got as [number, number][][]) {
    await until(() => each.length >= 600);
    for (const at of nodes.keys())
      assert.deepEqual(
        each.filter(([from]) => from === at).map(([, n]) => n),
        numbers(200),
      );
  }
});

test('topics of any text are topics, each a different one', async () => {
  const long = 'x'.repeat(100_000);
  const topics = [
    '',
    ' ',
    'a',
    'A',
    'a\0',
    "'; --",
    'é',
    'e\u0301',
    '\ud83d',
    '\ude00',
    '\ufffd',
    long,
    `${long}y`,
    '*',
    '%',
  ];
  const receivers = await Promise.all(
    [far, polling].map((node) => Promise.all(topics.map((topic) => messagesOf(node, topic)))),
  );
  for (const [n, topic] of topics.entries()) await near.publish(topic, n);
  for (const got of receivers)
    for (const [n, each] of got.entries()) {
      await until(() => each.length > 0, JSON.stringify(topics[n]));
      assert.deepEqual(each, [n]);
    }
});

test('messages may be larger than a notification, and are copies', async () => {
  const got = await messagesOf(far, 'large');
  const large = [{ text: 'x\u0000é\ud83d '.repeat(2_000) }, { text: 'y'.repeat(1_000_000) }, undefined];
  await publishAll(near, 'large', large);
  await until(() => got.length >= 3);
  assert.deepEqual(got, [large[0], large[1], null]);
});

test('tenants do not get the messages of each other, and nobody gets one after unsubscribing', async () => {
  const [ann, bob] = [await bus({}, 'ann'), await bus({}, 'bob')];
  const [ofAnn, ofBob, ofNobody] = [
    await messagesOf(ann, 't'),
    await messagesOf(bob, 't'),
    await messagesOf(near, 't'),
  ];
  let count = 0;
  const off = await ann.subscribe('t', () => void count++);
  await ann.publish('t', 1);
  await until(() => count === 1);
  off();
  await ann.publish('t', 2);
  await bob.publish('t', 3);
  await until(() => ofAnn.length === 2 && ofBob.length === 1);
  assert.deepEqual([ofAnn, ofBob, ofNobody, count], [[1, 2], [3], [], 1]);
});

test('a listener that another one unsubscribes does not get the same message any more', async () => {
  const got: string[] = [];
  const off = await far.subscribe('both', () => {
    got.push('first');
    offSecond();
  });
  const offSecond = await far.subscribe('both', () => got.push('second'));
  await near.publish('both', 1);
  await until(() => got.length > 0);
  await near.publish('both', 2);
  await until(() => got.length > 1);
  off();
  assert.deepEqual(got, ['first', 'first']);
});

test('notifications that come twice, make no sense, or whose messages are lost, change nothing else', async () => {
  const got = await messagesOf(far, 'odd');
  await near.publish('odd', 1);
  await until(() => got.length === 1);
  const [row] = await sql(
    port,
    `SELECT id || '.' || encode(topic, 'hex') AS text FROM tenon_store.messages ORDER BY id DESC LIMIT 1`,
  );
  const [{ channel } = {}] = await sql(
    port,
    `SELECT (regexp_match(prosrc, 'pg_notify\\(''(\\w+)'''))[1] AS channel FROM pg_proc WHERE proname = 'publish'
      AND pronamespace = 'tenon_store'::regnamespace`,
  );
  const topic = String(row!['text']).split('.')[1]!;
  const [{ id } = {}] = await sql(port, `SELECT nextval('tenon_store.message_ids') AS id`);
  for (const payload of [row!['text'], 'x', '', '.', `NaN.${topic}`, `-1.${topic}`, `${id}.${topic}`])
    await sql(port, `SELECT pg_notify('${channel}', '${payload}')`);
  await near.publish('odd', 2);
  await until(() => got.length >= 2);
  assert.deepEqual(got, [1, 2]);
});

test('if the numbers of messages begin again after a crash, messages still arrive', async () => {
  const nodes = [await bus({ schema: 'again' }), await bus({ schema: 'again', listen: 'poll' })];
  const got = await Promise.all(nodes.map((node) => messagesOf(node, 'again')));
  await sql(port, `SELECT setval('again.message_ids', 1000000)`);
  await nodes[0]!.publish('again', 'before');
  await until(() => got.every((each) => each.length === 1));
  await sql(
    port,
    `TRUNCATE again.messages; SELECT setval('again.message_ids', 1);
     SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND pid <> pg_backend_pid()`,
  );
  await until(async () => {
    await nodes[0]!.publish('again', 'after');
    return got.every((each) => each.includes('after'));
  });
});

test('messages are removed after a minute', async () => {
  await near.publish('old', 1);
  await sql(port, `UPDATE tenon_store.messages SET sent = sent - interval '61 s'`);
  await near.publish('new', 1);
  await sweepStore(addressAt(port));
  assert.deepEqual(await sql(port, `SELECT count(*)::int FROM tenon_store.messages`), [{ count: 1 }]);
});

test('a statement whose connection breaks is repeated if it may run twice, and otherwise reported as uncertain', async () => {
  await using proxy = await startTcpProxy(port);
  await using cut = await openStore(addressAt(proxy.port, { schema: 'cut' }));
  await cut.add('first', 1, LONG);
  const cutting = async <T>(text: string, act: () => T): Promise<Awaited<T>> => {
    proxy.loseAnswer(`.${text}(`);
    return await act();
  };
  await cutting('put', () => cut.set('a', 1, LONG));
  assert.equal(await cutting('value_of', () => cut.get('a')), 1);
  assert.deepEqual(await cutting('keys_between', () => cut.keys('', undefined, 5)), ['a', 'first']);
  await cutting('remove', () => cut.delete('a'));
  assert.equal(await cut.get('a'), undefined);
  for (const [text, act] of [
    ['append_value', () => cut.append('log', 1, LONG)],
    ['add_value', () => cut.add('added', 1, LONG)],
    ['put', () => cut.swap('first', 1, 2, LONG)],
  ] as const)
    await assert.rejects(
      cutting(text, () => act()),
      {
        name: 'StoreError',
        code: 'unavailable',
        message: /broke while '\w+' ran .* It may or may not have happened, so it was not repeated/,
      },
    );
  // Each of them has happened once, because the server got it.
  await until(async () => (await cut.get('added')) === 1 && (await cut.get('first')) === 2);
  await until(async () => (await cut.read('log', 0)) !== undefined);
  assert.deepEqual(await cut.read('log', 0), { first: 1, values: [1] });
});

test('over a network that passes nothing on, operations end, and go on when it works again', async () => {
  await using proxy = await startTcpProxy(port);
  await using slow = await openStore(addressAt(proxy.port, { schema: 'slow' }), { busyMs: 1_000 });
  await slow.set('a', 1, LONG);
  // Several connections, because one may be in use.
  await Promise.all(numbers(8).map(() => slow.get('a')));
  const goOn = proxy.interrupt('hold');
  await Promise.all([
    assert.rejects(async () => slow.get('a'), { code: 'unavailable' }),
    assert.rejects(async () => slow.append('log', 1, LONG), { code: 'unavailable', message: /may not have happened/ }),
  ]);
  goOn();
  await until(async () => (await Promise.resolve(slow.get('a')).catch(() => undefined)) === 1);
});

test('a server that accepts connections and does not answer LISTEN is given up after busyMs, and listened to when it answers', async () => {
  await using proxy = await startTcpProxy(port);
  const answer = proxy.ignore('LISTEN ');
  const address = addressAt(proxy.port, { schema: 'deaf' });
  const open = async () => openBus(address, { busyMs: 500 });
  const [deaf, closing] = [await open(), await open()];
  await using _ = deaf;
  const got: unknown[] = [];
  const subscribe = async (): Promise<void> => void (await deaf.subscribe('topic', (message) => got.push(message)));
  await assert.rejects(subscribe(), { name: 'StoreError', code: 'unavailable', message: /500 ms/ });
  // It can be closed while it waits.
  await Promise.allSettled([closing.subscribe('topic', () => {}), closing.close()]);
  answer();
  // The present connection is given up, too, without a subscription that asks for it.
  await subscribe();
  await deaf.publish('topic', 1);
  await until(() => got.length > 0);
  assert.deepEqual(got, [1]);
});

test('after a crash of the server, a log has its first values in order, and all that were there when a value was added', async () => {
  const writer = await store({ schema: 'crash' });
  for (let n = 1; n <= 100; n++) await writer.append('log', n, LONG);
  assert.equal(await writer.add('mark', 1, LONG), true);
  const late = Array.from({ length: 100 }, async () => writer.append('log', 'late', LONG));
  const settled = Promise.allSettled(late);
  await late[50];
  await engine.stop();
  await engine.start();
  await settled;
  assert.equal(await writer.get('mark'), 1);
  const { first, values } = (await writer.read('log', 0))!;
  assert.equal(first, 1);
  assert.ok(values.length >= 100);
  assert.deepEqual(
    values,
    values.map((_, at) => (at < 100 ? at + 1 : 'late')),
  );
  assert.equal(await writer.append('log', 'next', LONG), values.length + 1);
});

test('with durable=all, a crash of the server loses nothing that was stored', async () => {
  const writer = await store({ schema: 'durable', durable: 'all' });
  await writer.set('value', 1, LONG);
  for (let n = 1; n <= 20; n++) await writer.append('log', n, LONG);
  await engine.stop();
  await engine.start();
  assert.equal(await writer.get('value'), 1);
  assert.equal((await writer.read('log', 0))!.values.length, 20);
});

test('while the server is away, operations wait and are then refused; when it is back, nothing has to be restarted', async () => {
  const [patient, hasty] = [await store({ schema: 'away' }, 60_000), await store({ schema: 'away' }, 1_000)];
  await patient.add('a', 1, LONG);
  const got = [await messagesOf(far, 'away'), await messagesOf(polling, 'away')];
  const hastyBus = closedLater(await openBus(addressAt(port), { busyMs: 1_000 }));
  await engine.stop();
  const refused = [
    hasty.get('a'),
    hasty.add('b', 1, LONG),
    hasty.append('log', 1, LONG),
    hastyBus.publish('away', 1),
    hastyBus.subscribe('away', () => {}),
  ].map((act) =>
    assert.rejects(async () => act, {
      name: 'StoreError',
      code: 'unavailable',
      message: /^PostgreSQL at 127\.0\.0\.1:\d+ could not be reached for 1000 ms: .*Later operations try again\.$/,
    }),
  );
  await Promise.all(refused);
  const waiting = Promise.all([patient.get('a'), patient.append('log', 1, LONG), patient.add('b', 1, LONG)]);
  await engine.start();
  assert.deepEqual(await waiting, [1, 1, true]);
  await until(async () => (await Promise.resolve(hasty.get('b')).catch(() => undefined)) === 1);
  let n = 0;
  await until(async () => {
    await Promise.resolve(near.publish('away', n++)).catch(() => {});
    return got.every((each) => each.length > 0);
  });
  // What arrives again after the restart is in order, too, without gaps and doubles.
  const start = n;
  await publishAll(
    near,
    'away',
    numbers(100).map((each) => start + each),
  );
  for (const each of got as number[][]) {
    await until(() => each.at(-1) === start + 99);
    assert.deepEqual(
      each,
      numbers(each.length).map((at) => each[0]! + at),
    );
  }
});
