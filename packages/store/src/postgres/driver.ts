import type { ClientConfig } from 'pg';
import type { DatabaseAddress } from './address.ts';

/** The package that speaks with PostgreSQL. */
export type Driver = typeof import('pg');

/** How a client connects. A pooler passes none of the other settings of a session on. */
export function clientConfig({ connectionString }: DatabaseAddress, connectMs: number): ClientConfig {
  return {
    connectionString,
    connectionTimeoutMillis: connectMs,
    fallback_application_name: 'tenon',
    keepAlive: true,
  };
}
