import { isDeepStrictEqual } from 'node:util';
import type { Client, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from 'tenon/client';
import { createRefresher, type Refresher } from './refresher.ts';
import { messageOf } from '../values/message-of.ts';

/** The lists of a server. */
export interface Lists {
  readonly tools: readonly ToolEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly templates: readonly TemplateEntry[];
  readonly prompts: readonly PromptEntry[];
}

const NO_LISTS: Lists = { tools: [], resources: [], templates: [], prompts: [] };

/** Maximum entries of one list. Servers with more should offer a search tool. */
const MAX_ENTRIES = 10_000;

/** When lists are read again, in milliseconds. */
interface RefreshTimes {
  /** The minimum interval between two reads of a list, however often the server announces changes. */
  readonly minIntervalMs: number;
  /** The age after which the tools of a server that does not announce changes are read again before a call. */
  readonly staleMs: number;
}

const REFRESH_TIMES: RefreshTimes = { minIntervalMs: 1_000, staleMs: 5_000 };

async function collect<T>(listing: AsyncIterable<T>): Promise<T[]> {
  const entries: T[] = [];
  for await (const entry of listing) {
    if (entries.length >= MAX_ENTRIES) break;
    entries.push(entry);
  }
  return entries;
}

const KINDS = ['tools', 'resources', 'prompts'] as const;
/** The capabilities of a server for which it can announce changes. */
type Kind = (typeof KINDS)[number];
type ListName = keyof Lists;

/** The lists of each capability. They are read separately, so that a failing one does not affect the others. */
const LISTS_OF: Readonly<Record<Kind, readonly ListName[]>> = {
  tools: ['tools'],
  resources: ['resources', 'templates'],
  prompts: ['prompts'],
};

/** The names of the lists in messages. */
const TITLES: Readonly<Record<ListName, string>> = {
  tools: 'tools',
  resources: 'resources',
  templates: 'resource templates',
  prompts: 'prompts',
};

async function readList(client: Client, name: ListName, fresh: boolean): Promise<Partial<Lists>> {
  return { [name]: await collect<Lists[ListName][number]>(client[name]({ fresh })) };
}

/** Keeps the lists of a server up to date. */
export interface Follower {
  /** Resolves after the first read of all lists. Rejects if the tools could not be read. */
  readonly ready: Promise<void>;
  /**
   * Ensures before a call that the known tools are current. If the server does not announce changes, they are read again after 5 seconds;
   * if it announced one, that read is awaited. Rejects with an `Error` for people if they could not be read, because it is unknown then
   * whether they are approved.
   */
  refresh(): Promise<void>;
  /** Resolves when all changes of the tools that were announced until now were read, or could not be. Never rejects. */
  caughtUp(): Promise<void>;
  stop(): void;
}

/** Reads the lists of a server, and reads them again after each announced change. `onLists` receives all lists each time. */
export function followLists(
  client: Client,
  onLists: (lists: Lists) => Promise<void>,
  report: (problem: string) => void,
  { minIntervalMs, staleMs }: RefreshTimes = REFRESH_TIMES,
): Follower {
  const stop = new AbortController();
  const { signal } = stop;
  const { capabilities } = client;
  // Some servers write null for missing capabilities.
  const kinds = KINDS.filter((kind) => capabilities[kind] != null);
  let lists = NO_LISTS;
  /** The lists that `onLists` has received. */
  let delivered: Partial<Lists> = {};
  let toolsReadAt = 0;
  /** Since when the server announces changes of its tools. */
  let notifiedSince = Infinity;

  const read = async (name: ListName): Promise<void> => {
    const startedAt = performance.now();
    const part = await readList(client, name, true);
    signal.throwIfAborted();
    if (!isDeepStrictEqual(part[name], delivered[name])) {
      lists = { ...lists, ...part };
      await onLists(lists);
      delivered = { ...delivered, ...part };
    }
    if (name === 'tools') toolsReadAt = startedAt;
  };

  const refresherOf = (name: ListName): Refresher =>
    createRefresher({
      read: () => read(name),
      isStale: () => name === 'tools' && notifiedSince > toolsReadAt && performance.now() - toolsReadAt > staleMs,
      minIntervalMs,
      signal,
      report,
      failure: `Its ${TITLES[name]} could not be read again`,
    });
  const refreshers: Readonly<Record<ListName, Refresher>> = {
    tools: refresherOf('tools'),
    resources: refresherOf('resources'),
    templates: refresherOf('templates'),
    prompts: refresherOf('prompts'),
  };

  const follow = async (kind: Kind): Promise<void> => {
    const watch = client.watch({ list: kind }, { signal });
    // Legacy servers need no subscription, so no change is missed from now on.
    if (kind === 'tools' && client.era === 'legacy') notifiedSince = performance.now();
    watch.ready.then(
      () => {
        if (kind === 'tools') notifiedSince = Math.min(notifiedSince, performance.now());
      },
      () => {},
    );
    try {
      for await (const _change of watch) {
        // The first read must not overwrite a later one.
        await ready.catch(() => {});
        for (const name of LISTS_OF[kind]) refreshers[name].changed();
      }
    } catch {
      // The server does not announce changes after all.
    }
    if (kind === 'tools') notifiedSince = Infinity;
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
    await onLists(lists);
    delivered = all;
  };

  const ready = first();
  return {
    ready,
    async refresh() {
      if (!kinds.includes('tools')) return;
      await refreshers.tools.settled().catch((error: Error) => {
        const message = `${error.message}. They could not be compared with the approved ones: try again, or restart the server`;
        throw new Error(message, { cause: error });
      });
    },
    caughtUp: () => refreshers.tools.caughtUp(),
    stop: () => stop.abort(),
  };
}
