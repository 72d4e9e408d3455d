import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** How many folders are watched; the least recently read one is dropped first. */
const MAX_FOLDERS = 64;
/** How long to wait for more events, in milliseconds, because one write causes several. */
const DEBOUNCE_MS = 50;

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** The names of its files that clients have read. */
  readonly names: Set<string>;
}

/** Reports changes of files that clients have read, by any program. Does not keep the process alive. */
export function createFileWatcher(changed: (real: string) => void): (real: string) => void {
  const folders = new Map<string, WatchedFolder>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const schedule = (real: string): void => {
    clearTimeout(timers.get(real));
    const timer = setTimeout(() => {
      timers.delete(real);
      changed(real);
    }, DEBOUNCE_MS);
    timer.unref();
    timers.set(real, timer);
  };
  const drop = (folder: string): void => {
    folders.get(folder)?.watcher.close();
    folders.delete(folder);
  };
  const open = (folder: string): WatchedFolder | undefined => {
    try {
      const names = new Set<string>();
      // Watch the folder, because a file that is replaced atomically is a new file.
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name !== null && names.has(name)) schedule(join(folder, name));
      });
      watcher.on('error', () => drop(folder));
      return { watcher, names };
    } catch {
      // The system limits the number of watches: without one, changes are not reported.
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
    if (folders.size > MAX_FOLDERS) drop(folders.keys().next().value!);
  };
}
