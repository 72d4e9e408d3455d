import { StoreError } from '../store-error.ts';

/** Loads the package that speaks to a database. It is an optional peer, because a program needs at most one of them. */
export async function loadDriver<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `The address needs the package ${name}, which is not installed: npm install ${name}`;
    throw new StoreError('no-driver', message, { cause: error });
  }
}
