import { createHash } from 'node:crypto';
import type { ToolEntry } from 'tenon/client';
import { cutTo, plainText } from '../values/plain-text.ts';
import type { Keep } from '../state/keep.ts';
import { pinOf } from './pin.ts';

/** What was approved of the tools of servers, and what was refused for good. One file per tool: two hosts do not undo each other's. */
export interface Pins {
  /** What was approved, by name, of the tools that are not that any more. A tool that is new is pinned. */
  changedOf(server: string, entries: readonly ToolEntry[]): Promise<ReadonlyMap<string, ToolEntry>>;
  approve(server: string, entry: ToolEntry): Promise<void>;
  /** From now on nobody is asked about exactly this. */
  refuse(server: string, entry: ToolEntry): Promise<void>;
  isRefused(server: string, entry: ToolEntry): Promise<boolean>;
}

interface Pinned {
  readonly pin: string;
  readonly entry: ToolEntry;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

const isPinned = (value: unknown): value is Pinned => {
  const { pin, entry, at } = { ...(value as Partial<Pinned>) };
  return typeof pin === 'string' && typeof entry === 'object' && entry !== null && typeof at === 'number';
};

/**
 * Most pins per server of tools that are not listed any more. A tool that comes back after so many others is new to us: a server that
 * wants that could as well list a tool of another name.
 */
const MOST_GONE = 10_000;
/** Most refused forms of one tool; the oldest are asked about again. */
const MOST_REFUSED = 20;
/** A program may have only so many files open. */
const AT_ONCE = 32;

const REFUSED = '-refused';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);
const folderOf = (server: string): string => `pins/${digest(server)}`;
const nameOf = (server: string, tool: string): string => `${folderOf(server)}/${digest(tool)}`;

const forEach = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  // Nothing goes on behind the back of who is told that it failed.
  const ends = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
};

/** `mostGone` and `now` are for tests. */
export const createPins = (keep: Keep, mostGone: number = MOST_GONE, now: () => number = Date.now): Pins => {
  /** What is known to be approved of the tools that were listed last, by server and name. */
  const known = new Map<string, Map<string, string>>();

  const put = (server: string, entry: ToolEntry): Promise<void> =>
    keep.put(nameOf(server, entry.name), { pin: pinOf(entry), entry, at: now() } satisfies Pinned);

  const pinned = async (server: string, tool: string): Promise<Pinned | undefined> => {
    const name = nameOf(server, tool);
    const found = await keep.get(name);
    if (found === undefined || isPinned(found)) return found;
    // It would be taken as new otherwise, whatever it is now.
    throw new Error(
      `What is kept of the tool '${cutTo(plainText(tool), 60)}' as ${name} is no pin. Remove it to begin anew`,
    );
  };

  /** Who cannot read it asks again. */
  const refusedOf = async (server: string, tool: string): Promise<readonly unknown[]> => {
    const refused = await keep.get(`${nameOf(server, tool)}${REFUSED}`).catch(() => undefined);
    return Array.isArray(refused) ? refused : [];
  };

  /** Pins of tools that are gone fill no disk: the oldest go. */
  const tidy = async (server: string, entries: readonly ToolEntry[]): Promise<void> => {
    const folder = folderOf(server);
    const here = new Set(entries.map(({ name }) => digest(name)));
    const names = await keep.list(folder);
    const gone = names.filter((name) => !name.endsWith(REFUSED) && !here.has(name));
    if (gone.length <= mostGone) return;
    const dated: { readonly name: string; readonly at: number }[] = [];
    await forEach(gone, async (name) => {
      const found = await keep.get(`${folder}/${name}`).catch(() => undefined);
      dated.push({ name, at: isPinned(found) ? found.at : 0 });
    });
    dated.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    // Some more than need be, so that it is not done each time.
    await forEach(dated.slice(0, gone.length - Math.floor(mostGone * 0.9)), async ({ name }) => {
      await keep.remove(`${folder}/${name}${REFUSED}`);
      await keep.remove(`${folder}/${name}`);
    });
  };

  return {
    async changedOf(server, entries) {
      const before = known.get(server);
      const approved = new Map<string, string>();
      const changed = new Map<string, ToolEntry>();
      let isNew = false;
      await forEach(entries, async (entry) => {
        const pin = pinOf(entry);
        if (before?.get(entry.name) !== pin) {
          const found = await pinned(server, entry.name);
          if (found !== undefined && found.pin !== pin) return void changed.set(entry.name, found.entry);
          if (found === undefined) {
            isNew = true;
            await put(server, entry);
          }
        }
        approved.set(entry.name, pin);
      });
      known.set(server, approved);
      if (isNew) await tidy(server, entries);
      return changed;
    },
    async approve(server, entry) {
      await put(server, entry);
      known.get(server)?.set(entry.name, pinOf(entry));
    },
    async refuse(server, entry) {
      const pin = pinOf(entry);
      const others = (await refusedOf(server, entry.name)).filter((other) => other !== pin);
      await keep.put(`${nameOf(server, entry.name)}${REFUSED}`, [...others, pin].slice(-MOST_REFUSED));
    },
    async isRefused(server, entry) {
      return (await refusedOf(server, entry.name)).includes(pinOf(entry));
    },
  };
};
