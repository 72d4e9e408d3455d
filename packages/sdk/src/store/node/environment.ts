import process from 'node:process';
import type { Logger } from '../../protocol/log.ts';
import type { Bus } from '../bus.ts';
import type { Store } from '../store.ts';
import { type KeyFile, keysInFile } from './key-file.ts';

/** The package with stores and buses that have an address. It depends on this package, so it cannot be a dependency of it. */
const PACKAGE: string = '@tenon/store';

interface Closable {
  close(): Promise<void>;
}

interface StorePackage {
  openStore(address: string): Promise<Store & Closable>;
  openBusFor(addresses: {
    readonly store: string | undefined;
    readonly bus: string | undefined;
  }): Promise<(Bus & Closable) | undefined>;
}

/** The options that the environment can replace. */
interface GivenState {
  readonly store?: Store | undefined;
  /** `none` for a server that has no other nodes. */
  readonly bus?: Bus | 'none' | undefined;
  readonly keys?: Iterable<string> | undefined;
  readonly log?: Logger | undefined;
}

/** What the environment of the process names, and has to be closed. */
export interface EnvironmentState extends Closable {
  readonly store: Store | undefined;
  readonly bus: Bus | undefined;
  readonly keys: KeyFile | undefined;
}

/**
 * Opens the store that `TENON_STORE` names, the bus that `TENON_BUS` names and the keys that `TENON_KEYS_FILE` names, unless the options have
 * them. Without `TENON_BUS`, the server of the store is the bus as well, if it can be one. Rejects if something cannot be opened.
 */
export async function openEnvironment({ store, bus, keys, log }: GivenState): Promise<EnvironmentState> {
  const opened: { close(): unknown }[] = [];
  const keep = <T extends { close(): unknown }>(each: T | undefined): T | undefined => {
    if (each !== undefined) opened.push(each);
    return each;
  };
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each.close();
  };
  try {
    return {
      keys: keep(keys === undefined ? await openKeys(log) : undefined),
      store: keep(store === undefined ? await openStore() : undefined),
      bus: keep(bus === undefined ? await openBus(store === undefined) : undefined),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openKeys(log: Logger | undefined): Promise<KeyFile | undefined> {
  const path = valueOf('TENON_KEYS_FILE');
  return path === undefined ? undefined : keysInFile(path, { log });
}

async function openStore(): Promise<(Store & Closable) | undefined> {
  const address = valueOf('TENON_STORE');
  return address === undefined ? undefined : (await loadPackage('TENON_STORE')).openStore(address);
}

async function openBus(usesStore: boolean): Promise<(Bus & Closable) | undefined> {
  const bus = valueOf('TENON_BUS');
  const store = usesStore ? valueOf('TENON_STORE') : undefined;
  if (bus === undefined && store === undefined) return undefined;
  return (await loadPackage(bus === undefined ? 'TENON_STORE' : 'TENON_BUS')).openBusFor({ store, bus });
}

function valueOf(variable: string): string | undefined {
  const { [variable]: value } = process.env;
  return value === '' ? undefined : value;
}

async function loadPackage(variable: string): Promise<StorePackage> {
  try {
    return (await import(PACKAGE)) as StorePackage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`${variable} is set, but there is no package that can open it: npm install ${PACKAGE}`, {
      cause: error,
    });
  }
}
