import process from 'node:process';
import type { Logger } from '../../protocol/log.ts';
import type { Store } from '../store.ts';
import { type KeyFile, keysInFile } from './key-file.ts';

/** The package with stores that have an address. It depends on this package, so it cannot be a dependency of it. */
const PACKAGE: string = '@tenon/store';

/** A store that has to be closed. */
interface OpenStore extends Store {
  close(): Promise<void>;
}

/** Opens the store that `TENON_STORE` names. Resolves with undefined if it names none. */
async function openStoreOfEnvironment(): Promise<OpenStore | undefined> {
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

/** The keys in the file that `TENON_KEYS_FILE` names. Resolves with undefined if it names none. Rejects if they cannot be used. */
async function openKeysOfEnvironment(log: Logger | undefined): Promise<KeyFile | undefined> {
  const { TENON_KEYS_FILE: path } = process.env;
  return path === undefined || path === '' ? undefined : keysInFile(path, { log });
}

/** The options that the environment can replace. */
interface GivenState {
  readonly store?: Store | undefined;
  readonly keys?: Iterable<string> | undefined;
  readonly log?: Logger | undefined;
}

/** What the environment of the process names, and has to be closed. */
export interface EnvironmentState {
  readonly store: OpenStore | undefined;
  readonly keys: KeyFile | undefined;
  close(): Promise<void>;
}

/** Opens the store and the keys that the environment names, unless the options have them. */
export async function openEnvironment({ store: given, keys, log }: GivenState): Promise<EnvironmentState> {
  const file = keys === undefined ? await openKeysOfEnvironment(log) : undefined;
  const store = given === undefined ? await openStoreOfEnvironment() : undefined;
  const close = async (): Promise<void> => {
    file?.close();
    await store?.close();
  };
  return { store, keys: file, close };
}
