import process from 'node:process';
import type { Store } from '../store.ts';

/** The package with stores that have an address. It depends on this package, so it cannot be a dependency of it. */
const PACKAGE: string = '@tenon/store';

/** A store that has to be closed. */
interface OpenStore extends Store {
  close(): Promise<void>;
}

/** Opens the store that `TENON_STORE` names. Resolves with undefined if it names none. */
export async function openStoreOfEnvironment(): Promise<OpenStore | undefined> {
  const { TENON_STORE: address } = process.env;
  if (address === undefined || address === '') return undefined;
  let opening: { openStore(address: string): Promise<OpenStore> };
  try {
    opening = (await import(PACKAGE)) as typeof opening;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`TENON_STORE is set, but there is no package that can open it: npm install ${PACKAGE}`, {
      cause: error,
    });
  }
  return opening.openStore(address);
}
