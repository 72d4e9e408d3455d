// A PostgreSQL server for a test file.

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
