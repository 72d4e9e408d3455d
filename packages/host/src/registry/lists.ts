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
type Kind = (typeof KINDS)[number];

const readKind = async (client: Client, kind: Kind, fresh: boolean): Promise<Partial<Lists>> => {
  if (kind === 'tools') return { tools: await taken(client.tools({ fresh })) };
  if (kind === 'prompts') return { prompts: await taken(client.prompts({ fresh })) };
  const [resources, templates] = await Promise.all([
    taken(client.resources({ fresh })),
    taken(client.templates({ fresh })),
  ]);
  return { resources, templates };
};

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

  const read = async (kind: Kind): Promise<void> => {
    const began = performance.now();
    const part = await readKind(client, kind, true);
    signal.throwIfAborted();
    const isKnown = Object.entries(part).every(([name, list]) => isDeepStrictEqual(list, known[name as keyof Lists]));
    if (!isKnown) {
      lists = { ...lists, ...part };
      await take(lists);
      known = { ...known, ...part };
    }
    if (kind === 'tools') toolsReadAt = began;
  };

  const rereaderOf = (kind: Kind): Rereader =>
    createRereader({
      read: () => read(kind),
      isOld: () => kind === 'tools' && toldSince > toolsReadAt && performance.now() - toolsReadAt > oldMs,
      easeMs,
      signal,
      report,
      failure: `Its ${kind} could not be read again`,
    });
  const rereaders = { tools: rereaderOf('tools'), resources: rereaderOf('resources'), prompts: rereaderOf('prompts') };

  const follow = async (kind: Kind): Promise<void> => {
    const watch = client.watch(kind, { signal });
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
        rereaders[kind].changed();
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
      kinds.map((kind) =>
        readKind(client, kind, false).catch((error: unknown): Partial<Lists> => {
          if (kind === 'tools') throw error;
          report(`Its ${kind} could not be listed: ${messageOf(error)}`);
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
