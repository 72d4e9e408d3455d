import type { ToolEntry } from 'tenon/client';
import type { StateStore } from '../state/state-store.ts';
import type { ServerDescription } from '../values/server-description.ts';
import { sha256 } from '../values/sha256.ts';
import { pinOf, pinOfServer } from './pin.ts';
import { createPinFiles, REFUSED } from './pin-files.ts';

/** What was approved of something that is not that any more. */
export interface Approved<T> {
  /** Undefined: it cannot be read. */
  readonly before: T | undefined;
  /** Why it cannot be read. */
  readonly unreadable?: string;
}

/** What was approved of servers, and what was refused for good. */
export interface Pins {
  /** What was approved, by name, of the tools that are not that any more. A tool that is new is approved. */
  changedOf(server: string, entries: readonly ToolEntry[]): Promise<ReadonlyMap<string, Approved<ToolEntry>>>;
  approve(server: string, entry: ToolEntry): Promise<void>;
  /** From now on nobody is asked about exactly this. */
  refuse(server: string, entry: ToolEntry): Promise<void>;
  isRefused(server: string, entry: ToolEntry): Promise<boolean>;
  /** The same for what a server says of itself. Undefined: it is what was approved. */
  changedServer(server: string, description: ServerDescription): Promise<Approved<ServerDescription> | undefined>;
  approveServer(server: string, description: ServerDescription): Promise<void>;
  refuseServer(server: string, description: ServerDescription): Promise<void>;
  isServerRefused(server: string, description: ServerDescription): Promise<boolean>;
}

/**
 * Most pins per server of tools that are not listed any more. A tool that comes back after so many others is new to us: a server that
 * wants that could as well list a tool of another name.
 */
const MAX_GONE = 10_000;
/** A program may have only so many files open. */
const MAX_OPEN_FILES = 32;

const digest = (text: string): string => sha256(text).slice(0, 40);
const folderOf = (server: string): string => `pins/${digest(server)}`;
const nameOf = (server: string, tool: string): string => `${folderOf(server)}/${digest(tool)}`;
const nameOfServer = (server: string): string => `server-pins/${digest(server)}`;

const forEach = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  // A caller that is told of a failure finds nothing still running.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(MAX_OPEN_FILES, items.length) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/** `mostGone` and `now` are for tests. */
export function createPins(store: StateStore, mostGone: number = MAX_GONE, now: () => number = Date.now): Pins {
  const tools = createPinFiles<ToolEntry>(store, pinOf, now);
  const servers = createPinFiles<ServerDescription>(store, pinOfServer, now);
  /** What is known to be approved of the tools that were listed last, by server and name. */
  const known = new Map<string, Map<string, string>>();

  /** Pins of tools that are gone fill no disk: the oldest go. */
  const removeOldPins = async (server: string, entries: readonly ToolEntry[]): Promise<void> => {
    const folder = folderOf(server);
    const here = new Set(entries.map(({ name }) => digest(name)));
    const names = await store.list(folder);
    const gone = names.filter((name) => !name.endsWith(REFUSED) && !here.has(name));
    if (gone.length <= mostGone) return;
    const dated: { readonly name: string; readonly at: number }[] = [];
    await forEach(gone, async (name) => {
      const found = await tools.find(`${folder}/${name}`).catch(() => undefined);
      dated.push({ name, at: found?.is === 'kept' ? found.at : 0 });
    });
    dated.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    // Some more than need be, so that it is not done each time.
    await forEach(dated.slice(0, gone.length - Math.floor(mostGone * 0.9)), async ({ name }) => {
      await store.remove(`${folder}/${name}${REFUSED}`).catch(() => {});
      await store.remove(`${folder}/${name}`).catch(() => {});
    });
  };

  return {
    async changedOf(server, entries) {
      const before = known.get(server);
      const approved = new Map<string, string>();
      const changed = new Map<string, Approved<ToolEntry>>();
      let isNew = false;
      await forEach(entries, async (entry) => {
        const { name } = entry;
        const pin = pinOf(entry);
        if (before?.get(name) !== pin) {
          const found = await tools.find(nameOf(server, name));
          if (found.is === 'unreadable') return void changed.set(name, { before: undefined, unreadable: found.why });
          if (found.is === 'kept' && found.pin !== pin) return void changed.set(name, { before: found.entry });
          if (found.is === 'nothing') {
            isNew = true;
            await tools.add(nameOf(server, name), entry);
          }
        }
        approved.set(name, pin);
      });
      known.set(server, approved);
      if (isNew) await removeOldPins(server, entries);
      return changed;
    },
    async approve(server, entry) {
      await tools.replace(nameOf(server, entry.name), entry);
      known.get(server)?.set(entry.name, pinOf(entry));
    },
    refuse: (server, entry) => tools.refuse(nameOf(server, entry.name), entry),
    isRefused: (server, entry) => tools.isRefused(nameOf(server, entry.name), entry),

    async changedServer(server, description) {
      const name = nameOfServer(server);
      const found = await servers.find(name);
      if (found.is === 'unreadable') return { before: undefined, unreadable: found.why };
      if (found.is === 'nothing') await servers.add(name, description);
      else if (found.pin !== pinOfServer(description)) return { before: found.entry };
      return undefined;
    },
    approveServer: (server, description) => servers.replace(nameOfServer(server), description),
    refuseServer: (server, description) => servers.refuse(nameOfServer(server), description),
    isServerRefused: (server, description) => servers.isRefused(nameOfServer(server), description),
  };
}
