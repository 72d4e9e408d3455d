// Which losses of messages the receivers of PostgreSQL's bus report.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import type { Driver } from './driver.ts';
import { PollReceiver } from './poll-receiver.ts';
import type { MessageRow, Receiver, Subscribed } from './receiver.ts';
import { SessionReceiver } from './session-receiver.ts';

const ADDRESS = { schema: 's' } as DatabaseAddress;
const TOPIC = 'ab';

/** What a receiver did, in order: numbers of messages, and `missed`. */
class Delivered implements Subscribed {
  readonly all: string[] = [];

  topics(): readonly Buffer[] {
    return [Buffer.from(TOPIC, 'hex')];
  }

  has(topic: string): boolean {
    return topic === TOPIC;
  }

  deliver(rows: readonly MessageRow[]): void {
    this.all.push(...rows.map(({ id }) => id));
  }

  reportMissed(): void {
    this.all.push('missed');
  }
}

function rowOf(id: string): MessageRow {
  return { id, topic: Buffer.from(TOPIC, 'hex'), body: '{}' };
}

/** Connections whose statements are answered by a function. */
function connectionsTo(answer: (sql: string, values: readonly unknown[]) => Promise<readonly object[]>): Connections {
  return { name: 'a database', busyMs: 1_000, run: answer } as unknown as Connections;
}

/** A driver whose only client can be notified of messages. */
function fakeDriver() {
  class Client extends EventEmitter {
    readonly connection = { stream: { unref: () => {}, destroy: () => void this.emit('end') } };
    connect = () => Promise.resolve();
    query = () => Promise.resolve();
    end = () => Promise.resolve(void this.emit('end'));

    constructor() {
      super();
      clients.push(this);
    }
  }
  const clients: Client[] = [];
  const notify = (...ids: readonly number[]): void =>
    void clients.at(-1)!.emit('notification', { payload: ids.map((id) => `${id}.${TOPIC}`).join(' ') });
  return { driver: { Client } as unknown as Driver, notify };
}

async function whileOpen(receiver: Receiver, act: () => Promise<void>): Promise<void> {
  await receiver.start();
  await act().finally(() => receiver.close());
}

test('notified messages that cannot be fetched are reported as missed, once and after those that can', async () => {
  const delivered = new Delivered();
  const { driver, notify } = fakeDriver();
  const connections = connectionsTo((_, [ids]) => {
    const wanted = ids as readonly string[];
    return wanted.includes('1') ? Promise.reject(new Error('away')) : Promise.resolve(wanted.map(rowOf));
  });
  await whileOpen(new SessionReceiver(driver, ADDRESS, connections, delivered), async () => {
    // Fetched by 50: the first fifty are lost.
    notify(...Array.from({ length: 51 }, (_, n) => n + 1));
    await until(() => delivered.all.length === 2);
    notify(52);
    await until(() => delivered.all.length === 3);
    assert.deepEqual(delivered.all, ['51', 'missed', '52']);
  });
});

test('the oldest of more than 100,000 messages that wait to be fetched are lost, and reported as missed', async () => {
  const delivered = new Delivered();
  const { driver, notify } = fakeDriver();
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const connections = connectionsTo(async (_, [ids]) => {
    await answered;
    return (ids as readonly string[]).map(rowOf);
  });
  await whileOpen(new SessionReceiver(driver, ADDRESS, connections, delivered), async () => {
    notify(1);
    notify(...Array.from({ length: 100_002 }, (_, n) => n + 2));
    answer();
    await until(() => delivered.all.includes('missed'));
    assert.deepEqual(delivered.all.slice(0, 2), ['1', '4']);
    assert.deepEqual(delivered.all.slice(-2), ['100003', 'missed']);
    assert.equal(delivered.all.length, 1 + 100_000 + 1);
  });
});

test('polls that failed may have missed messages that a crash removed: this is reported with the next that succeeds', async () => {
  const delivered = new Delivered();
  let polls = 0;
  const connections = connectionsTo((sql) => {
    if (sql.includes('last_message')) return Promise.resolve([{ id: '7' }]);
    polls += 1;
    if (polls === 2 || polls === 3) return Promise.reject(new Error('away'));
    return Promise.resolve([{ id: '7' }, ...(polls === 5 ? [rowOf('8')] : [])]);
  });
  await whileOpen(new PollReceiver(ADDRESS, connections, delivered), async () => {
    await until(() => polls === 2);
    assert.deepEqual(delivered.all, []);
    await until(() => polls >= 6);
    assert.deepEqual(delivered.all, ['missed', '8']);
  });
});

test('a process that did not poll for almost as long as messages are kept has missed some', async (t) => {
  const delivered = new Delivered();
  let polls = 0;
  let offset = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + offset);
  const connections = connectionsTo((sql) => {
    if (sql.includes('last_message')) return Promise.resolve([{ id: '7' }]);
    polls += 1;
    // As if the process had been suspended after its third poll, and again for a shorter time.
    if (polls === 3) setTimeout(() => (offset += 51_000));
    if (polls === 6) setTimeout(() => (offset += 10_000));
    return Promise.resolve([{ id: '7' }]);
  });
  await whileOpen(new PollReceiver(ADDRESS, connections, delivered), async () => {
    await until(() => polls >= 9);
    assert.deepEqual(delivered.all, ['missed']);
  });
});
