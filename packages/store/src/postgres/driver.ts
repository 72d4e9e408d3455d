import type { ClientConfig } from 'pg';
import { StoreError } from '../store-error.ts';
import type { DatabaseAddress } from './address.ts';

/** The package that speaks with PostgreSQL. */
export type Driver = typeof import('pg');

/** Loads the driver, which is not a dependency, because most programs use no database. */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import('pg');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = 'PostgreSQL needs the package pg, which is not installed. Run: npm install pg';
    throw new StoreError('no-driver', message, { cause: error });
  }
}

/** How a client connects. A pooler passes none of the other settings of a session on. */
export function clientConfig({ connectionString }: DatabaseAddress, connectMs: number): ClientConfig {
  return {
    connectionString,
    connectionTimeoutMillis: connectMs,
    fallback_application_name: 'tenon',
    keepAlive: true,
  };
}
