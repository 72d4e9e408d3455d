// The databases and message brokers of a cluster, as processes of their own on this machine.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '../scripts/lib/nats-server.ts';
import { startPostgres, SUPERUSER_PASSWORD } from '../scripts/lib/postgres.ts';
import { startRedis } from '../scripts/lib/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../scripts/lib/tcp-proxy.ts';

/** What keeps the state of a cluster. */
export interface Engine {
  /** The addresses for `openStore` and `openBus`, through the network. Undefined: the memory of the node. */
  readonly store: string | undefined;
  readonly bus: string | undefined;
  /** The network between the nodes and the database; undefined for a file, for memory, and without a proxy. */
  readonly network: TcpProxy | undefined;
  /** How much room it takes, in bytes: on the disk, or for Redis in memory. */
  bytes(): Promise<number>;
  /** Stops it as a crash would, and starts it again with its data; undefined for a file and for memory. */
  readonly restart: ((whileAway: () => Promise<void>) => Promise<void>) | undefined;
  delete(): Promise<void>;
}

export interface EngineOptions {
  /** Connect the nodes without the proxy that can cut the network, because it would be part of what is measured. Default: false. */
  readonly isDirect?: boolean;
}
type StartEngine = (options?: EngineOptions) => Promise<Engine>;

export const ENGINES = { memory, sqlite: startSqlite, postgres, redis, nats: postgresWithNats } satisfies Record<
  string,
  StartEngine
>;
export type EngineName = keyof typeof ENGINES;

/** The size of all files in a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The memory that a Redis uses, in bytes. */
async function memoryOf(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write('INFO memory\r\nQUIT\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk as string;
  return Number(/used_memory:(\d+)/.exec(text)?.[1]);
}

/** Each node has its own, so there can be only one. */
async function memory(): Promise<Engine> {
  return {
    store: undefined,
    bus: undefined,
    network: undefined,
    bytes: () => Promise.resolve(0),
    restart: undefined,
    delete: () => Promise.resolve(),
  };
}

async function startSqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-cluster-'));
  return {
    store: `sqlite:${join(folder, 'state.db')}`,
    bus: undefined,
    bytes: async () => sizeOf(folder),
    network: undefined,
    restart: undefined,
    delete: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgres({ isDirect = false }: EngineOptions = {}): Promise<Engine> {
  // A crash must not lose what was acknowledged, so it writes to the disk.
  const server = await startPostgres({ settings: ['fsync = on'] });
  const network = isDirect ? undefined : await startTcpProxy(server.port);
  const port = network?.port ?? server.port;
  const address = `postgres://postgres:${SUPERUSER_PASSWORD}@127.0.0.1:${port}/postgres?durable=all`;
  return {
    store: address,
    bus: address,
    network,
    // Without the log of changes, whose files it writes again and again.
    bytes: async () => sizeOf(join(server.folder, 'data', 'base')),
    async restart(whileAway) {
      await server.stop();
      await whileAway();
      await server.start();
    },
    async delete() {
      await network?.close();
      await server.delete();
    },
  };
}

async function redis({ isDirect = false }: EngineOptions = {}): Promise<Engine> {
  const settings = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  const server = await startRedis(settings);
  const network = isDirect ? undefined : await startTcpProxy(server.port);
  const port = network?.port ?? server.port;
  const address = `redis://127.0.0.1:${port}`;
  return {
    store: address,
    bus: address,
    network,
    bytes: () => memoryOf(server.port),
    async restart(whileAway) {
      await server.kill();
      await whileAway();
      await server.start();
    },
    async delete() {
      await network?.close();
      await server.stop();
    },
  };
}

/** The state in PostgreSQL, and messages through NATS. */
async function postgresWithNats(options?: EngineOptions): Promise<Engine> {
  const { restart, ...database } = await postgres(options);
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
