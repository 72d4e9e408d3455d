import type { Redis } from 'ioredis';
import type { StoreMigration, StoreReport } from '../engine.ts';
import { Connection } from '../network/connection.ts';
import { opened } from '../network/opened.ts';
import { DEFAULTS } from '../options.ts';
import { parseRedisAddress } from './address.ts';
import { evaluate, rootOf } from './evaluate.ts';
import { RedisDriver } from './redis-driver.ts';
import { RedisStore } from './redis-store.ts';
import { LAYOUT_VERSION, type Script, SCRIPTS } from './scripts.ts';

/** Runs a script on the store with an address, without preparing it as a store that is opened. */
async function runOn(address: string, busyMs: number, script: Script): Promise<unknown> {
  const parsed = parseRedisAddress(address);
  const connection = new Connection<Redis>(new RedisDriver(parsed, (client) => client.ping()), busyMs);
  try {
    return await connection.run((client) => evaluate(client, script, [rootOf(parsed), '']), 'run-again');
  } finally {
    await connection.close();
  }
}

/** Reports what a store contains, without changing it. */
export async function inspectRedis(address: string, busyMs: number): Promise<StoreReport> {
  const [version, values, logs, characters, expired] = (await runOn(address, busyMs, SCRIPTS.inspect)) as number[];
  return {
    version: version!,
    known: LAYOUT_VERSION,
    values: values!,
    logs: logs!,
    characters: characters!,
    expired: expired!,
  };
}

/** Marks a store with the version of its layout, as opening it does. */
export async function migrateRedis(address: string, busyMs: number): Promise<StoreMigration> {
  const { version: before } = await inspectRedis(address, busyMs);
  const store = await opened(new RedisStore(parseRedisAddress(address), { ...DEFAULTS, busyMs }));
  await store.close();
  return { before, after: LAYOUT_VERSION };
}

/** Removes everything that has expired. Returns the number of removed values and logs. */
export async function sweepRedis(address: string, busyMs: number): Promise<number> {
  let removed = 0;
  for (let count = 1; count > 0; removed += count) count = (await runOn(address, busyMs, SCRIPTS.sweep)) as number;
  return removed;
}
