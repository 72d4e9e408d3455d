// The bus on NATS: the contract, and logins.

import assert from 'node:assert/strict';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { openBus, openStore } from '@tenon/store';
import { serverBusContract } from '../../../scripts/lib/bus-contract.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { startNats } from '../../../scripts/lib/nats-server.ts';
import { startTcpProxy } from '../../../scripts/lib/tcp-proxy.ts';
import { until } from '../../../scripts/lib/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-nats-'));
const settings = join(folder, 'nats.conf');
/** Of the user with few rights in docs/stores.md. */
const RIGHTS = '{ publish: "mine.>", subscribe: "mine.>" }';
writeFileSync(
  settings,
  `authorization { users: [
    { user: all, password: SECRETPW }
    { user: mine, password: SECRETPW, permissions: ${RIGHTS} }
    { user: mute, password: SECRETPW, permissions: { publish: "nothing", subscribe: ">" } }
  ] }`,
);
const nats = await startNats(['--config', settings]);
const buses = new Set<Awaited<ReturnType<typeof openBus>>>();
after(async () => {
  for (const bus of buses) await bus.close();
  await nats.kill();
  rmSync(folder, { recursive: true });
});

let prefixes = 0;
/** Opens a bus that is closed after the tests. */
async function open({ port = nats.port, prefix = `p${++prefixes}`, user = 'all', busyMs = 60_000 } = {}) {
  const bus = await openBus(`nats://${user}:SECRETPW@127.0.0.1:${port}?prefix=${prefix}`, { busyMs });
  buses.add(bus);
  return bus;
}

serverBusContract('on NATS', async () => {
  const prefix = `p${++prefixes}`;
  const restart = async (): Promise<void> => {
    await nats.kill();
    await nats.start();
  };
  return { a: await open({ prefix }), b: await open({ prefix }), restart };
});

async function failureOf(act: () => unknown): Promise<Error & { readonly code?: string }> {
  try {
    await act();
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /SECRETPW/);
    return error;
  }
  return assert.fail('It did not fail');
}

test('a user with rights for the prefix only can use it', async () => {
  const bus = await open({ user: 'mine', prefix: 'mine' });
  const arrived: unknown[] = [];
  await bus.subscribe('topic', (message) => arrived.push(message));
  await bus.publish('topic', 1);
  await until(() => arrived.length === 1);
  for (const given of [{ user: 'mine', prefix: 'other' }, { user: 'mute' }, { user: 'nobody' }]) {
    const { code, message } = await failureOf(() => open(given));
    assert.equal(code, 'failed', message);
    assert.match(message, /^NATS at 127\.0\.0\.1:\d+ refused the login in the address, or lacks rights/);
  }
});

test('a message waits for NATS for no longer than busyMs, and does not arrive later', async (t) => {
  const proxy = await startTcpProxy(nats.port);
  const prefix = 'waiting';
  const listening = await open({ prefix });
  const bus = await open({ prefix, port: proxy.port, busyMs: 300 });
  const arrived: unknown[] = [];
  await listening.subscribe('topic', (message) => arrived.push(message));
  await proxy.close();
  for (const act of [() => bus.publish('topic', 'late'), () => bus.subscribe('topic', () => {})])
    assert.equal((await failureOf(act)).code, 'unavailable');
  const again = await startTcpProxy(nats.port, proxy.port);
  t.after(() => again.close());
  await bus.publish('topic', 'after');
  await until(() => arrived.length > 0);
  assert.deepEqual(arrived, ['after']);
  const port = await freePort();
  assert.equal((await failureOf(() => open({ port, busyMs: 100 }))).code, 'unavailable');
});

test('invalid addresses, and NATS as a store, are refused, with errors that do not contain the password', async () => {
  for (const address of [
    'nats:',
    'nats://',
    'nats://user:SECRETPW@host/path',
    'nats://user:SECRETPW@host?other=1',
    'nats://user:SECRETPW@host?prefix=a..b',
    'nats://:SECRETPW@host',
  ])
    assert.ok((await failureOf(() => openBus(address))) instanceof TypeError, address);
  const error = await failureOf(() => openStore('nats://user:SECRETPW@host'));
  assert.match(error.message, /is the address of no store/);
});
