import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Most folders that are watched; what was read longest ago is watched no more. */
const MOST = 64;
/** Writing a file is several events. */
const QUIET_MS = 50;

interface Watched {
  readonly watcher: FSWatcher;
  /** The files in it that somebody has read. */
  readonly names: Set<string>;
}

/** Looks whether files change that somebody has read, by whomever. It keeps no process alive. */
export const createWatching = (changed: (real: string) => void): ((real: string) => void) => {
  const folders = new Map<string, Watched>();
  const told = new Map<string, ReturnType<typeof setTimeout>>();
  const tell = (real: string): void => {
    clearTimeout(told.get(real));
    const timer = setTimeout(() => {
      told.delete(real);
      changed(real);
    }, QUIET_MS);
    timer.unref();
    told.set(real, timer);
  };
  const drop = (folder: string): void => {
    folders.get(folder)?.watcher.close();
    folders.delete(folder);
  };
  const open = (folder: string): Watched | undefined => {
    try {
      const names = new Set<string>();
      // The folder, not the file: a file that is replaced as a whole is another one.
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name !== null && names.has(name)) tell(join(folder, name));
      });
      watcher.on('error', () => drop(folder));
      return { watcher, names };
    } catch {
      // There are only so many watches on a machine: then there is no news.
      return undefined;
    }
  };
  return (real) => {
    const folder = dirname(real);
    const found = folders.get(folder) ?? open(folder);
    if (found === undefined) return;
    folders.delete(folder);
    folders.set(folder, found);
    found.names.add(basename(real));
    if (folders.size > MOST) drop(folders.keys().next().value!);
  };
};
