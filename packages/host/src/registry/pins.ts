import type { ToolEntry } from 'tenon/client';
import type { StateStore } from '../state/state-store.ts';
import type { ServerDescription } from '../values/server-description.ts';
import { sha256 } from '../values/sha256.ts';
import { pinOf, pinOfServer } from './pin.ts';
import { createPinFiles, REFUSED } from './pin-files.ts';

/** The approved version of an entry that has changed since. */
export interface ApprovedVersion<T> {
  /** Undefined if it cannot be read. */
  readonly before: T | undefined;
  /** Why it cannot be read. */
  readonly unreadable?: string;
}

/** The approved and permanently refused versions of tools and server descriptions. */
export interface Pins {
  /** The approved versions of the tools that have changed, by name. A new tool is approved. */
  changedOf(server: string, entries: readonly ToolEntry[]): Promise<ReadonlyMap<string, ApprovedVersion<ToolEntry>>>;
  approve(server: string, entry: ToolEntry): Promise<void>;
  /** Refuses this version permanently: the person is not asked about it again. */
  refuse(server: string, entry: ToolEntry): Promise<void>;
  isRefused(server: string, entry: ToolEntry): Promise<boolean>;
  /** The approved description, if the server changed it. Undefined otherwise. */
  changedServer(
    server: string,
    description: ServerDescription,
  ): Promise<ApprovedVersion<ServerDescription> | undefined>;
  approveServer(server: string, description: ServerDescription): Promise<void>;
  refuseServer(server: string, description: ServerDescription): Promise<void>;
  isServerRefused(server: string, description: ServerDescription): Promise<boolean>;
}

/**
 * Maximum pins of tools that a server no longer lists. A tool that returns after so many others counts as new; a server could as well list
 * a tool with a different name.
 */
const MAX_GONE = 10_000;
/** Limits how many files are open at a time. */
const MAX_OPEN_FILES = 32;

function digest(text: string): string {
  return sha256(text).slice(0, 40);
}
function folderOf(server: string): string {
  return `pins/${digest(server)}`;
}
function nameOf(server: string, tool: string): string {
  return `${folderOf(server)}/${digest(tool)}`;
}
function nameOfServer(server: string): string {
  return `server-pins/${digest(server)}`;
}

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  // All work has ended before a failure is reported.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(MAX_OPEN_FILES, items.length) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** `maxGone` and `now` are for tests. */
export function createPins(store: StateStore, maxGone: number = MAX_GONE, now: () => number = Date.now): Pins {
  const tools = createPinFiles<ToolEntry>(store, pinOf, now);
  const servers = createPinFiles<ServerDescription>(store, pinOfServer, now);
  /** The pins of the listed tools that are known to be approved, by server and name. */
  const known = new Map<string, Map<string, string>>();

  /** Removes the oldest pins of tools that are no longer listed, to limit disk usage. */
  const removeOldPins = async (server: string, entries: readonly ToolEntry[]): Promise<void> => {
    const folder = folderOf(server);
    const listed = new Set(entries.map(({ name }) => digest(name)));
    const names = await store.list(folder);
    const unlisted = names.filter((name) => !name.endsWith(REFUSED) && !listed.has(name));
    if (unlisted.length <= maxGone) return;
    const dated: { readonly name: string; readonly at: number }[] = [];
    await forEach(unlisted, async (name) => {
      const found = await tools.find(`${folder}/${name}`).catch(() => undefined);
      dated.push({ name, at: found?.is === 'kept' ? found.at : 0 });
    });
    dated.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    // Removes more than necessary, so that this does not run each time.
    await forEach(dated.slice(0, unlisted.length - Math.floor(maxGone * 0.9)), async ({ name }) => {
      await store.remove(`${folder}/${name}${REFUSED}`).catch(() => {});
      await store.remove(`${folder}/${name}`).catch(() => {});
    });
  };

  return {
    async changedOf(server, entries) {
      const previous = known.get(server);
      const approved = new Map<string, string>();
      const changed = new Map<string, ApprovedVersion<ToolEntry>>();
      let isNew = false;
      await forEach(entries, async (entry) => {
        const { name } = entry;
        const pin = pinOf(entry);
        if (previous?.get(name) !== pin) {
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
