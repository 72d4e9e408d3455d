import type { Engine } from '../engine.ts';
import { NetworkBus } from '../network/network-bus.ts';
import { opened } from '../network/opened.ts';
import { parseRedisAddress } from './address.ts';
import { inspectRedis, migrateRedis, sweepRedis } from './maintain.ts';
import { RedisDriver } from './redis-driver.ts';
import { RedisStore } from './redis-store.ts';

/** A store and a bus in Redis. */
export const engine: Engine = {
  async openStore(address, options) {
    return opened(new RedisStore(parseRedisAddress(address), options));
  },
  async openBus(address, { busyMs }) {
    const driver = new RedisDriver(parseRedisAddress(address), (client) => client.ping());
    return opened(new NetworkBus(driver, busyMs));
  },
  inspect: (address, { busyMs }) => inspectRedis(address, busyMs),
  migrate: (address, { busyMs }) => migrateRedis(address, busyMs),
  sweep: (address, { busyMs }) => sweepRedis(address, busyMs),
};
