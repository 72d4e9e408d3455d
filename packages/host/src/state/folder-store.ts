import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '@tenon/values/node/replace-file';
import { decodeUtf8 } from '@tenon/values/utf8';
import { withLock } from 'tenon/internal';
import { checkedName, isName, type StateStore, UnreadableError } from './contract.ts';

/** Polling interval in addition to file watching, as not every file system reports changes. */
const POLL_MS = 1_000;

/** Reasons why a single file cannot be read. */
const UNREADABLE: ReadonlyMap<string | undefined, string> = new Map([
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'its permissions do not allow it'],
  ['EPERM', 'its permissions do not allow it'],
  ['EIO', 'the disk reports an error'],
  ['ELOOP', 'it is a link that leads nowhere'],
  ['ENXIO', 'it is not a file'],
]);

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** A store of files in a folder that only this user can read. Values are replaced atomically. */
export function createFolderStore(folder: string): StateStore {
  const path = (name: string): string => join(folder, `${checkedName(name)}.json`);

  const get = async (name: string): Promise<unknown> => {
    try {
      const text = decodeUtf8(await readFile(path(name)));
      if (text === undefined) throw new UnreadableError(`${path(name)} cannot be read: it is not UTF-8`);
      return JSON.parse(text);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      const why = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : UNREADABLE.get(codeOf(error));
      if (why !== undefined) throw new UnreadableError(`${path(name)} cannot be read: ${why}`, { cause: error });
      throw error;
    }
  };

  const list = async (below: string): Promise<string[]> => {
    try {
      const files = await readdir(join(folder, checkedName(below)));
      return files.flatMap((file) => (file.endsWith('.json') && isName(file.slice(0, -5)) ? [file.slice(0, -5)] : []));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  };

  return {
    get,
    async put(name, value) {
      const file = path(name);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await replaceFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
    },
    remove: (name) => rm(path(name), { force: true }),
    list: async (below) => (await list(below)).sort(),
    async quarantine(name) {
      await rename(path(name), `${path(name)}.${randomBytes(3).toString('hex')}.bad`).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
    },
    withLock: (name, work) => withLock(join(folder, `${checkedName(name)}.lock`), work),
    watch(below, changed) {
      let watcher: FSWatcher | undefined;
      const begin = async (): Promise<void> => {
        await mkdir(join(folder, checkedName(below)), { recursive: true, mode: 0o700 });
        if (stopped) return;
        watcher = watch(join(folder, below), { persistent: false }, changed);
        watcher.on('error', () => watcher?.close());
      };
      let stopped = false;
      // If watching fails, polling has to do.
      begin().catch(() => {});
      const timer = setInterval(changed, POLL_MS);
      timer.unref();
      return () => {
        stopped = true;
        clearInterval(timer);
        watcher?.close();
      };
    },
  };
}
