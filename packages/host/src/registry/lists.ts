import { isDeepStrictEqual } from 'node:util';
import type { Client, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from 'tenon/client';
import { createRereader, type Rereader } from './rereader.ts';
import { messageOf } from '../values/message-of.ts';

/** What a server offers, as it lists it. */
export interface Lists {
  readonly tools: readonly ToolEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly templates: readonly TemplateEntry[];
  readonly prompts: readonly PromptEntry[];
}

const NO_LISTS: Lists = { tools: [], resources: [], templates: [], prompts: [] };

/** Most entries that are taken of one list. Who has more is searched by its own tools, not listed. */
const MOST_ENTRIES = 10_000;

/** How often lists are read, in milliseconds. */
interface Pace {
  /** A list is read again at most once in this time, however often a server says that it changed. */
  readonly easeMs: number;
  /** Tools of a server that does not tell of changes are read again when they are needed and older than this. */
  readonly oldMs: number;
}

const PACE: Pace = { easeMs: 1_000, oldMs: 5_000 };

const taken = async <T>(listing: AsyncIterable<T>): Promise<T[]> => {
  const entries: T[] = [];
  for await (const entry of listing) {
    if (entries.length >= MOST_ENTRIES) break;
    entries.push(entry);
  }
  return entries;
};

const KINDS = ['tools', 'resources', 'prompts'] as const;
/** What a server declares, and announces changes of. */
type Kind = (typeof KINDS)[number];
type ListName = keyof Lists;

/** The lists that come with what a server declares. Each is read by itself: when one fails, the others are there. */
const LISTS_OF: Readonly<Record<Kind, readonly ListName[]>> = {
  tools: ['tools'],
  resources: ['resources', 'templates'],
  prompts: ['prompts'],
};

/** What people call the lists. */
const TITLES: Readonly<Record<ListName, string>> = {
  tools: 'tools',
  resources: 'resources',
  templates: 'resource templates',
  prompts: 'prompts',
};

async function readList(client: Client, name: ListName, fresh: boolean): Promise<Partial<Lists>> {
  return { [name]: await taken<Lists[ListName][number]>(client[name]({ fresh })) };
}

/** Follows what a server offers. */
export interface Follower {
  /** Resolves when the lists were read for the first time. Rejects with what the tools could not be read for. */
  readonly ready: Promise<void>;
  /**
   * To be awaited before a tool is called: resolves when the tools that were taken are those the server has. If it does not tell of changes,
   * they are read again when they are older than 5 seconds; if it told of one, that reading is awaited. Rejects with an `Error` for people
   * when they could not be read: whether they are what was approved is not known then.
   */
  refresh(): Promise<void>;
  stop(): void;
}

/** Reads the lists of a server, and reads them again when it says that they changed. `take` gets all of them each time. */
export const followLists = (
  client: Client,
  take: (lists: Lists) => Promise<void>,
  report: (problem: string) => void,
  { easeMs, oldMs }: Pace = PACE,
): Follower => {
  const stop = new AbortController();
  const { signal } = stop;
  const { capabilities } = client;
  // A server may write null for what it does not offer.
  const kinds = KINDS.filter((kind) => capabilities[kind] != null);
  let lists = NO_LISTS;
  /** What `take` has. */
  let known: Partial<Lists> = {};
  let toolsReadAt = 0;
  /** From when on the server tells of changes of its tools. */
  let toldSince = Infinity;

  const read = async (name: ListName): Promise<void> => {
    const began = performance.now();
    const part = await readList(client, name, true);
    signal.throwIfAborted();
    if (!isDeepStrictEqual(part[name], known[name])) {
      lists = { ...lists, ...part };
      await take(lists);
      known = { ...known, ...part };
    }
    if (name === 'tools') toolsReadAt = began;
  };

  const rereaderOf = (name: ListName): Rereader =>
    createRereader({
      read: () => read(name),
      isOld: () => name === 'tools' && toldSince > toolsReadAt && performance.now() - toolsReadAt > oldMs,
      easeMs,
      signal,
      report,
      failure: `Its ${TITLES[name]} could not be read again`,
    });
  const rereaders: Readonly<Record<ListName, Rereader>> = {
    tools: rereaderOf('tools'),
    resources: rereaderOf('resources'),
    templates: rereaderOf('templates'),
    prompts: rereaderOf('prompts'),
  };

  const follow = async (kind: Kind): Promise<void> => {
    const watch = client.watch({ list: kind }, { signal });
    // Of servers of the old revisions nothing is missed from now on.
    if (kind === 'tools' && client.era === 'legacy') toldSince = performance.now();
    watch.ready.then(
      () => {
        if (kind === 'tools') toldSince = Math.min(toldSince, performance.now());
      },
      () => {},
    );
    try {
      for await (const _change of watch) {
        // What is read first must not come after what is read again.
        await ready.catch(() => {});
        for (const name of LISTS_OF[kind]) rereaders[name].changed();
      }
    } catch {
      // It does not tell of changes after all.
    }
    if (kind === 'tools') toldSince = Infinity;
  };

  const first = async (): Promise<void> => {
    for (const kind of kinds)
      if ((capabilities[kind] as { listChanged?: boolean }).listChanged === true) void follow(kind);
    toolsReadAt = performance.now();
    const parts = await Promise.all(
      kinds
        .flatMap((kind) => LISTS_OF[kind])
        .map((name) =>
          readList(client, name, false).catch((error: unknown): Partial<Lists> => {
            if (name === 'tools') throw error;
            report(`Its ${TITLES[name]} could not be listed: ${messageOf(error)}`);
            return {};
          }),
        ),
    );
    const all: Partial<Lists> = Object.assign({}, ...parts);
    lists = { ...lists, ...all };
    await take(lists);
    known = all;
  };

  const ready = first();
  return {
    ready,
    async refresh() {
      if (!kinds.includes('tools')) return;
      await rereaders.tools.settled().catch((error: Error) => {
        const message = `${error.message}. Whether they are what was approved is not known: try again, or restart the server`;
        throw new Error(message, { cause: error });
      });
    },
    stop: () => stop.abort(),
  };
};
