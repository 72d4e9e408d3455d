import { parseNetworkAddress } from '../network/address.ts';

/** Where a Redis is, and how to log in to it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly isEncrypted: boolean;
  readonly prefix: string;
  /** Names it in messages, without a password. */
  readonly place: string;
}

const FORM = 'redis://user:password@host:6379/0?prefix=tenon, or rediss:// with TLS';
const PORT = 6_379;

/** Parses an address. Throws a `TypeError`. */
export function parseRedisAddress(address: string): RedisAddress {
  const { scheme, host, port = PORT, user, password, path, prefix } = parseNetworkAddress(address, FORM);
  const [, database] = /^\/?(\d{0,9})$/.exec(path) ?? [];
  if (database === undefined || (user !== undefined && password === undefined))
    throw new TypeError(`The address has the form ${FORM}`);
  return {
    ...{ host, port, user, password, prefix },
    database: Number(database),
    isEncrypted: scheme === 'rediss:',
    place: `Redis at ${host.includes(':') ? `[${host}]` : host}:${port}`,
  };
}
