import type { Bus } from 'tenon/http';
import type { Store } from 'tenon';

/** Options of `openStore`. */
export interface StoreOptions {
  /** Whose values these are: letters, digits, `.`, `_` and `-`. Tenants of one database do not see each other's values. Default: none. */
  readonly tenant?: string;
  /** The maximum number of values and logs. Default 1,000,000. */
  readonly maxEntries?: number;
  /** The maximum number of characters of all keys and values as JSON together. Default 1 Gi. */
  readonly maxCharacters?: number;
  /** The maximum number of characters of one log; its oldest values are removed first. Default 4 Mi. */
  readonly maxLogCharacters?: number;
  /** How long to wait for other processes that write, or for a database that cannot be reached, in milliseconds. Default 5,000. */
  readonly busyMs?: number;
  /**
   * The clock for expiry, in milliseconds since 1970; all processes need the same. Default: the clock of the database server, or `Date.now`
   * for a file.
   */
  readonly now?: () => number;
}

/** A store that outlives the process, and that several processes can share. */
export interface DurableStore extends Store {
  /** Closes the store, after operations that still wait for other processes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `openBus`. */
export type BusOptions = Pick<StoreOptions, 'tenant' | 'busyMs'>;

/** A bus that several processes share. */
export interface SharedBus extends Bus {
  /** Ends the connection to the other processes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options for an engine. Without `now`, a store that many machines share goes by the clock of the database. */
export type EngineOptions = Required<Omit<StoreOptions, 'now' | 'tenant'>> & Pick<StoreOptions, 'now'>;

/** The defaults. */
export const DEFAULTS: EngineOptions = {
  maxEntries: 1_000_000,
  maxCharacters: 1024 ** 3,
  maxLogCharacters: 4 * 1024 ** 2,
  busyMs: 5_000,
};
/** What each option must be. */
const EXPECTED: Readonly<Record<keyof StoreOptions, readonly [string, (value: unknown) => boolean]>> = {
  tenant: ['a name of 1 to 64 letters, digits, ".", "_" and "-"', isTenant],
  maxEntries: ['a positive number', isPositive],
  maxCharacters: ['a positive number', isPositive],
  maxLogCharacters: ['a positive number', isPositive],
  busyMs: ['a positive number', isPositive],
  now: ['a function', (value) => typeof value === 'function'],
};

function isTenant(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value);
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

/** Checks options, and fills in the defaults. `what`: whose options they are, such as `store`. Throws a `TypeError`. */
export function withDefaults(
  options: StoreOptions,
  what: string,
  known: readonly string[] = Object.keys(EXPECTED),
): EngineOptions {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw new TypeError(`A ${what} has no option '${name}'`);
    const [expected, fits] = EXPECTED[name as keyof StoreOptions];
    if (value !== undefined && !fits(value))
      throw new TypeError(`The option '${name}' of a ${what} must be ${expected}`);
  }
  const given = Object.entries(options).filter(([name, value]) => value !== undefined && name !== 'tenant');
  return { ...DEFAULTS, ...(Object.fromEntries(given) as StoreOptions) };
}

/** The names of the options of a bus. */
export const BUS_OPTIONS: readonly (keyof BusOptions)[] = ['tenant', 'busyMs'];
