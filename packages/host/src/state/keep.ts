import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where a host keeps what outlives it: small JSON values by name, such as `pending/4f2a`. */
export interface Keep {
  get(name: string): Promise<unknown>;
  put(name: string, value: unknown): Promise<void>;
  remove(name: string): Promise<void>;
  /** Names below a folder, without it. */
  list(folder: string): Promise<string[]>;
  /** Calls back when something below the folder may have changed, by whichever process. Returns what stops it. */
  watch(folder: string, changed: () => void): () => void;
}

/** Looked after this many milliseconds besides: not every file system tells of changes. */
const LOOK_MS = 1_000;

const NAME = /^[a-z0-9_-]{1,100}(?:\/[a-z0-9_-]{1,100}){0,2}$/i;

const checked = (name: string): string => {
  if (NAME.test(name)) return name;
  throw new TypeError(`'${name}' is no name of something kept: letters, digits, - and _, with / between`);
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Keeps values as files of a folder that only this user can read. A value is there whole or not at all. */
export const createFolderKeep = (folder: string): Keep => {
  const path = (name: string): string => join(folder, `${checked(name)}.json`);

  const get = async (name: string): Promise<unknown> => {
    try {
      return JSON.parse(await readFile(path(name), 'utf8'));
    } catch (error) {
      if (isMissing(error)) return undefined;
      if (error instanceof SyntaxError)
        throw new Error(`${path(name)} is not JSON: ${error.message}. Remove it to begin anew`, { cause: error });
      throw error;
    }
  };

  const list = async (below: string): Promise<string[]> => {
    try {
      const files = await readdir(join(folder, checked(below)));
      return files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : [])).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  };

  return {
    get,
    async put(name, value) {
      const file = path(name);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${randomBytes(6).toString('hex')}`;
      await writeFile(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flush: true });
      await rename(draft, file);
    },
    remove: (name) => rm(path(name), { force: true }),
    list,
    watch(below, changed) {
      let watcher: FSWatcher | undefined;
      const begin = async (): Promise<void> => {
        await mkdir(join(folder, checked(below)), { recursive: true, mode: 0o700 });
        if (stopped) return;
        watcher = watch(join(folder, below), { persistent: false }, changed);
        watcher.on('error', () => watcher?.close());
      };
      let stopped = false;
      // Where nothing is told of changes, looking has to do.
      begin().catch(() => {});
      const timer = setInterval(changed, LOOK_MS);
      timer.unref();
      return () => {
        stopped = true;
        clearInterval(timer);
        watcher?.close();
      };
    },
  };
};

/** Keeps values as long as the program runs. */
export const createMemoryKeep = (): Keep => {
  const values = new Map<string, string>();
  const watchers = new Set<() => void>();
  const tell = (): void => watchers.forEach((changed) => changed());
  return {
    async get(name) {
      const text = values.get(checked(name));
      return text === undefined ? undefined : JSON.parse(text);
    },
    async put(name, value) {
      values.set(checked(name), JSON.stringify(value));
      tell();
    },
    async remove(name) {
      values.delete(checked(name));
      tell();
    },
    async list(below) {
      const start = `${checked(below)}/`;
      return [...values.keys()].flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : [])).sort();
    },
    watch(_below, changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
};
