import type { Store } from 'tenon';
import type { Bus } from 'tenon/http';
import type { EngineOptions } from './options.ts';

/** A store as an engine opens it. */
export interface EngineStore extends Store {
  close(): Promise<void>;
}

/** A bus as an engine opens it. */
export interface EngineBus extends Bus {
  close(): Promise<void>;
}

/** What a store contains, of all tenants together. */
export interface StoreReport {
  /** The version of its tables; 0 before they are created. */
  readonly version: number;
  /** The version that this package needs. */
  readonly known: number;
  /** The number of values. */
  readonly values: number;
  /** The number of logs. */
  readonly logs: number;
  /** The characters of all keys, values and logs. */
  readonly characters: number;
  /** How many of the values and logs have expired, and will be removed. */
  readonly expired: number;
}

/** The versions of the tables of a store. */
export interface StoreMigration {
  /** Before they were created or updated. 0: there were none. */
  readonly before: number;
  /** Afterwards: the version that this package needs. */
  readonly after: number;
}

/** What an engine needs to know besides the address. */
type Patience = Pick<EngineOptions, 'busyMs'>;

/** What keeps state, or passes messages. Each has a folder of its own, which is loaded when an address names it. */
export interface Engine {
  /** Opens the store with an address. */
  openStore?(address: string, options: EngineOptions): Promise<EngineStore>;
  /** Connects to the bus with an address. `busyMs` as in the options of a store. */
  openBus?(address: string, options: Patience): Promise<EngineBus>;
  /** Reports what a store contains, without changing it. */
  inspect?(address: string, options: Patience): Promise<StoreReport>;
  /** Creates or updates the tables of a store. */
  migrate?(address: string, options: Patience): Promise<StoreMigration>;
  /** Removes everything that has expired. Returns the number of removed rows. */
  sweep?(address: string, options: Patience): Promise<number>;
}
