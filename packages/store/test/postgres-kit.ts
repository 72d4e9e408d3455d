// A PostgreSQL server for a test file, and a proxy that breaks connections to it.

import { once } from 'node:events';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import pg from 'pg';
import { type PostgresServer, startPostgres, SUPERUSER_PASSWORD } from '../../../scripts/lib/postgres.ts';

/** A server, which is deleted after the tests of the file. */
export async function engineForThisFile(settings: readonly string[] = []): Promise<PostgresServer> {
  const engine = await startPostgres({ settings });
  after(() => engine.delete());
  return engine;
}

/** The address of a store or a bus. */
export function addressAt(port: number, parameters: Readonly<Record<string, string>> = {}): string {
  return `postgres://postgres:${SUPERUSER_PASSWORD}@127.0.0.1:${port}/postgres?${String(new URLSearchParams(parameters))}`;
}

/** Runs SQL as the superuser, in a session that ends with the result. */
export async function sql(port: number, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = await session(port);
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** A session of the superuser. */
export async function session(port: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: addressAt(port) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** A proxy in front of a server. */
export interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** Cuts the next connection on which a client sends this text, after the server has got it. */
  cutAfter(text: string): void;
  /** Holds everything back, like a network that was interrupted. Undefined: no longer. */
  holdBack(): () => void;
}

/** Passes connections on to a port. */
export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let cutAfter: string | undefined;
  let isHolding = false;
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        if (isHolding) return;
        if (from === near && cutAfter !== undefined && chunk.includes(cutAfter)) {
          cutAfter = undefined;
          // The server gets the statement, and nobody its result.
          far.removeAllListeners('data');
          far.write(chunk, () => near.destroy());
          far.end();
          return;
        }
        to.write(chunk);
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (text) => (cutAfter = text),
    holdBack() {
      isHolding = true;
      return () => {
        isHolding = false;
        for (const socket of sockets) socket.destroy();
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
