import type { Engine } from '../engine.ts';
import { loadDriver } from '../network/load-driver.ts';
import type { EngineOptions } from '../options.ts';
import { type DatabaseAddress, parseDatabaseAddress } from './address.ts';
import { Connections } from './connections.ts';
import type { Driver } from './driver.ts';
import { inspect, sweep } from './maintain.ts';
import { migrate } from './migrate.ts';
import { PostgresBus } from './postgres-bus.ts';
import { PostgresStore } from './postgres-store.ts';

/** The number of connections of a bus, besides the one that listens: one to publish and one to fetch messages. */
const BUS_CONNECTIONS = 2;

/** A store and a bus in PostgreSQL. */
export const engine: Engine = {
  async openStore(text, options) {
    const address = parseDatabaseAddress(text);
    return connected(address, options, async (connections) => {
      await prepare(connections, address);
      return new PostgresStore(connections, address, options);
    });
  },
  async openBus(text, options) {
    const address = parseDatabaseAddress(text);
    const use = async (connections: Connections, driver: Driver): Promise<PostgresBus> => {
      await prepare(connections, address);
      return new PostgresBus(driver, address, connections);
    };
    return connected(address, options, use, BUS_CONNECTIONS);
  },
  inspect: (text, options) => once(text, options, inspect),
  migrate: (text, options) => once(text, options, migrate),
  sweep: (text, options) => once(text, options, sweep),
};

/** Opens connections. They are closed again if they cannot be used. */
async function connected<T>(
  address: DatabaseAddress,
  { busyMs }: Pick<EngineOptions, 'busyMs'>,
  use: (connections: Connections, driver: Driver) => Promise<T>,
  max?: number,
): Promise<T> {
  const driver = await loadDriver('pg', () => import('pg'));
  const connections = new Connections(driver, address, busyMs, max);
  try {
    return await use(connections, driver);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** Connects, works, and disconnects. */
function once<T>(
  text: string,
  options: Pick<EngineOptions, 'busyMs'>,
  work: (connections: Connections, address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  const address = parseDatabaseAddress(text);
  return connected(address, options, async (connections) => {
    const result = await work(connections, address);
    await connections.close();
    return result;
  });
}

function prepare(connections: Connections, address: DatabaseAddress): Promise<unknown> {
  return migrate(connections, address, address.migrate ? 'migrate' : 'only-check');
}
