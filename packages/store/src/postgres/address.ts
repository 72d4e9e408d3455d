import process from 'node:process';
import { parseAddress } from '@tenon/values/postgres-address';

/** The address of a database, and the parameters in it that are for this package. */
export interface DatabaseAddress {
  /** For the driver only: it has the password. */
  readonly connectionString: string;
  /** Names the database in messages, without the user and the password. */
  readonly name: string;
  /** The schema with the tables. */
  readonly schema: string;
  /** Whether opening the store creates or updates the tables. */
  readonly migrate: boolean;
  /** Whether every write waits for the disk, and not only those that record that something has happened. */
  readonly durable: boolean;
  /** Whether messages are looked for, because the connection goes through a pooler that gives no session of its own. */
  readonly poll: boolean;
}

const DEFAULT_SCHEMA = 'tenon_store';

/** The parameters for this package, with the values that each may have. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  schema: /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/,
  migrate: /^(?:on|off)$/,
  durable: /^(?:added|all)$/,
  listen: /^(?:session|poll)$/,
};

/** Parses an address. Throws a `TypeError`, which does not contain the address. */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const { connectionString, base } = parsed(text);
  const url = new URL(connectionString);
  const given = (name: string): string | undefined => {
    const value = url.searchParams.get(name) ?? undefined;
    url.searchParams.delete(name);
    if (value !== undefined && !PARAMETERS[name]!.test(value))
      throw new TypeError(`The parameter '${name}' of the address must match ${String(PARAMETERS[name])}`);
    return value;
  };
  return {
    schema: given('schema') ?? DEFAULT_SCHEMA,
    migrate: given('migrate') !== 'off',
    durable: given('durable') === 'all',
    poll: given('listen') === 'poll',
    connectionString: url.href,
    name: `PostgreSQL at ${new URL(base).host || 'a local socket'}`,
  };
}

function parsed(text: string): ReturnType<typeof parseAddress> {
  try {
    return parseAddress(text, process.env);
  } catch (error) {
    throw new TypeError((error as Error).message, { cause: error });
  }
}
