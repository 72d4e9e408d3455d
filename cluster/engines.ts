// The databases and message brokers of a cluster, as processes of their own on this machine.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '../scripts/lib/nats-server.ts';
import { startPostgres, SUPERUSER_PASSWORD } from '../scripts/lib/postgres.ts';
import { startRedis } from '../scripts/lib/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../scripts/lib/tcp-proxy.ts';

/** What keeps the state of a cluster. */
export interface Engine {
  /** The addresses for `openStore` and `openBus`, through the network. */
  readonly store: string;
  readonly bus: string | undefined;
  /** The network between the nodes and the database. Undefined: there is none. */
  readonly network: TcpProxy | undefined;
  /** Stops it as a crash would, and starts it again with its data. Undefined: it is a file. */
  readonly restart: ((whileAway: () => Promise<void>) => Promise<void>) | undefined;
  delete(): Promise<void>;
}

export const ENGINES = { sqlite: startSqlite, postgres, redis, nats: postgresWithNats } satisfies Record<
  string,
  () => Promise<Engine>
>;
export type EngineName = keyof typeof ENGINES;

async function startSqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-cluster-'));
  return {
    store: `sqlite:${join(folder, 'state.db')}`,
    bus: undefined,
    network: undefined,
    restart: undefined,
    delete: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgres(): Promise<Engine> {
  // A crash must not lose what was acknowledged, so it writes to the disk.
  const server = await startPostgres({ settings: ['fsync = on'] });
  const network = await startTcpProxy(server.port);
  const address = `postgres://postgres:${SUPERUSER_PASSWORD}@127.0.0.1:${network.port}/postgres?durable=all`;
  return {
    store: address,
    bus: address,
    network,
    async restart(whileAway) {
      await server.stop();
      await whileAway();
      await server.start();
    },
    async delete() {
      await network.close();
      await server.delete();
    },
  };
}

async function redis(): Promise<Engine> {
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  const server = await startRedis(settings);
  const network = await startTcpProxy(server.port);
  const address = `redis://127.0.0.1:${network.port}`;
  return {
    store: address,
    bus: address,
    network,
    async restart(whileAway) {
      await server.kill();
      await whileAway();
      await server.start();
    },
    async delete() {
      await network.close();
      await server.stop();
    },
  };
}

/** The state in PostgreSQL, and messages through NATS. */
async function postgresWithNats(): Promise<Engine> {
  const { restart, ...database } = await postgres();
  const nats = await startNats();
  return {
    ...database,
    bus: nats.address,
    // Either of them is away.
    async restart(whileAway) {
      if (Math.random() < 0.5) return restart!(whileAway);
      await nats.kill();
      await whileAway();
      await nats.start();
    },
    async delete() {
      await nats.kill();
      await database.delete();
    },
  };
}
