import type { Redis } from 'ioredis';
import { loadDriver } from '../network/load-driver.ts';
import type { RedisAddress } from './address.ts';
import { movedTo } from './failures.ts';

/** How long the connection may be idle before the system checks that the other side is still there, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;

/**
 * Connects and logs in, within `ms` milliseconds. `prepare` is what else has to succeed before the connection is used. In a cluster, the
 * connection is to the node that has the keys of `prepare`. The client of the driver never connects again: who uses it opens a new one.
 * Rejects with the error of the driver.
 */
export async function openClient(
  address: RedisAddress,
  ms: number,
  prepare: (client: Redis) => Promise<unknown>,
): Promise<Redis> {
  try {
    return await openNode(address, ms, prepare);
  } catch (error) {
    const owner = movedTo(error);
    if (owner === undefined) throw error;
    return openNode({ ...address, ...owner }, ms, prepare);
  }
}

async function openNode(
  address: RedisAddress,
  ms: number,
  prepare: (client: Redis) => Promise<unknown>,
): Promise<Redis> {
  const client = await createClient(address, ms);
  let cause: unknown;
  client.on('error', (error: unknown) => (cause = error));
  const timer = setTimeout(() => {
    cause ??= new Error(`no answer within ${ms} ms`);
    endClient(client);
  }, ms);
  try {
    await client.connect();
    await logIn(client, address);
    await prepare(client);
    // Only operations keep the process running.
    client.stream.unref();
    return client;
  } catch (error) {
    const isLost = client.status !== 'ready';
    endClient(client);
    throw isLost ? (cause ?? error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a connection at once. */
export function endClient(client: Redis): void {
  // The library would wait for the other side to close it as well, and would set a timer even if it has ended.
  if (client.status === 'end') return;
  client.disconnect();
  client.stream.destroy();
}

async function createClient({ host, port, isEncrypted }: RedisAddress, ms: number): Promise<Redis> {
  const { Redis: Client } = await loadDriver('ioredis', () => import('ioredis'));
  return new Client({
    host,
    port,
    // Absent, not undefined: the driver would use TLS.
    ...(isEncrypted ? { tls: {} } : {}),
    lazyConnect: true,
    // Every Redis and every proxy knows it.
    protocol: 2,
    connectTimeout: ms,
    keepAlive: KEEP_ALIVE_MS,
    // Whether an operation may be sent again depends on the operation.
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableOfflineQueue: false,
    retryStrategy: null,
    disableClientInfo: true,
    // It would need the right to INFO.
    enableReadyCheck: false,
  });
}

/** Not by the driver, which writes to the console if no password is needed. */
async function logIn(client: Redis, { user, password, database }: RedisAddress): Promise<void> {
  if (password !== undefined) await (user === undefined ? client.auth(password) : client.auth(user, password));
  if (database !== 0) await client.select(database);
}
