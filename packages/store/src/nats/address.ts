import { parseNetworkAddress } from '../network/address.ts';

/** Where a NATS server is, and how to log in to it. */
export interface NatsAddress {
  readonly server: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly token: string | undefined;
  readonly prefix: string;
  /** Names it in messages, without a password. */
  readonly place: string;
}

const FORM = 'nats://user:password@host:4222?prefix=tenon, or nats://token@host:4222';
const PORT = 4_222;

/** Parses an address. Throws a `TypeError`. */
export function parseNatsAddress(address: string): NatsAddress {
  const { host, port = PORT, user, password, path, prefix } = parseNetworkAddress(address, FORM);
  const hasToken = user !== undefined && password === undefined;
  if (!/^\/?$/.test(path) || (user === undefined && password !== undefined))
    throw new TypeError(`The address has the form ${FORM}`);
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(prefix)) throw new TypeError('The prefix of NATS must not have an empty part');
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    ...{ server, prefix, password },
    user: hasToken ? undefined : user,
    token: hasToken ? user : undefined,
    place: `NATS at ${server}`,
  };
}
