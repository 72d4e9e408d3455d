import process from 'node:process';
import type { Bus } from '../bus.ts';
import type { Store } from '../store.ts';

/** The package with stores and buses that have an address. It depends on this package, so it cannot be a dependency of it. */
const PACKAGE: string = '@tenon/store';

interface Closable {
  close(): Promise<void>;
}

interface StorePackage {
  openStore(address: string): Promise<Store & Closable>;
  openBus(address: string): Promise<Bus & Closable>;
  hasBus(address: string): Promise<boolean>;
}

/** What was opened because the environment names it. */
export interface StateOfEnvironment extends Closable {
  readonly store: Store | undefined;
  readonly bus: Bus | undefined;
}

/** Opens the store that `TENON_STORE` names. Resolves with undefined if it names none. */
export async function openStoreOfEnvironment(): Promise<(Store & Closable) | undefined> {
  const address = addressIn('TENON_STORE');
  return address === undefined ? undefined : (await loadPackage('TENON_STORE')).openStore(address);
}

/**
 * Opens the store that `TENON_STORE` names and the bus that `TENON_BUS` names, except what is given. Without `TENON_BUS`, the server of the
 * store is the bus as well, if it can be one.
 */
export async function openStateOfEnvironment(given: {
  readonly store?: Store | undefined;
  readonly bus?: Bus | undefined;
}): Promise<StateOfEnvironment> {
  const store = given.store === undefined ? await openStoreOfEnvironment() : undefined;
  try {
    const bus = given.bus === undefined ? await openBusOfEnvironment(store !== undefined) : undefined;
    const close = async (): Promise<void> => {
      await bus?.close();
      await store?.close();
    };
    return { store, bus, close };
  } catch (error) {
    await store?.close();
    throw error;
  }
}

async function openBusOfEnvironment(usesStore: boolean): Promise<(Bus & Closable) | undefined> {
  const address = addressIn('TENON_BUS');
  if (address !== undefined) return (await loadPackage('TENON_BUS')).openBus(address);
  const ofStore = usesStore ? addressIn('TENON_STORE') : undefined;
  if (ofStore === undefined) return undefined;
  const { hasBus, openBus } = await loadPackage('TENON_STORE');
  return (await hasBus(ofStore)) ? openBus(ofStore) : undefined;
}

function addressIn(variable: string): string | undefined {
  const { [variable]: address } = process.env;
  return address === '' ? undefined : address;
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
