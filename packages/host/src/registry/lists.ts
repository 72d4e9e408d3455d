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

/** Reads the lists of a server, and reads them again after each announced change. */
export class ListFollower {
  /** Resolves after the first read of all lists. Rejects if the tools could not be read. */
  readonly ready: Promise<void>;
  readonly #client: Client;
  readonly #onLists: (lists: Lists) => Promise<void>;
  readonly #report: (problem: string) => void;
  readonly #times: RefreshTimes;
  /** The capabilities that the server has. */
  readonly #kinds: readonly Kind[];
  readonly #refreshers: Readonly<Record<ListName, Refresher>>;
  readonly #stop = new AbortController();
  #lists = NO_LISTS;
  /** The lists that `onLists` has received. */
  #delivered: Partial<Lists> = {};
  #toolsReadAt = 0;
  /** Since when the server announces changes of its tools. */
  #notifiedSince = Infinity;

  /** `onLists` receives all lists each time. */
  constructor(
    client: Client,
    onLists: (lists: Lists) => Promise<void>,
    report: (problem: string) => void,
    times: RefreshTimes = REFRESH_TIMES,
  ) {
    this.#client = client;
    this.#onLists = onLists;
    this.#report = report;
    this.#times = times;
    // Some servers write null for missing capabilities.
    this.#kinds = KINDS.filter((kind) => client.capabilities[kind] != null);
    this.#refreshers = {
      tools: this.#refresherOf('tools'),
      resources: this.#refresherOf('resources'),
      templates: this.#refresherOf('templates'),
      prompts: this.#refresherOf('prompts'),
    };
    this.ready = this.#readFirst();
  }

  /**
   * Ensures before a call that the known tools are current. If the server does not announce changes, they are read again after 5 seconds;
   * if it announced one, that read is awaited. Rejects with an `Error` for people if they could not be read, because it is unknown then
   * whether they are approved.
   */
  async refresh(): Promise<void> {
    if (!this.#kinds.includes('tools')) return;
    await this.#refreshers.tools.settled().catch((error: Error) => {
      const message = `${error.message}. They could not be compared with the approved ones: try again, or restart the server`;
      throw new Error(message, { cause: error });
    });
  }

  /** Resolves when all changes of the tools that were announced until now were read, or could not be. Never rejects. */
  caughtUp(): Promise<void> {
    return this.#refreshers.tools.caughtUp();
  }

  stop(): void {
    this.#stop.abort();
  }

  #refresherOf(name: ListName): Refresher {
    return createRefresher({
      read: () => this.#read(name),
      isStale: () => name === 'tools' && this.#areToolsStale(),
      minIntervalMs: this.#times.minIntervalMs,
      signal: this.#stop.signal,
      report: this.#report,
      failure: `Its ${TITLES[name]} could not be read again`,
    });
  }

  #areToolsStale(): boolean {
    const readAt = this.#toolsReadAt;
    return this.#notifiedSince > readAt && performance.now() - readAt > this.#times.staleMs;
  }

  async #readFirst(): Promise<void> {
    const { capabilities } = this.#client;
    for (const kind of this.#kinds)
      if ((capabilities[kind] as { listChanged?: boolean }).listChanged === true) void this.#follow(kind);
    this.#toolsReadAt = performance.now();
    const names = this.#kinds.flatMap((kind) => LISTS_OF[kind]);
    const parts = await Promise.all(
      names.map((name) =>
        readList(this.#client, name, false).catch((error: unknown): Partial<Lists> => {
          if (name === 'tools') throw error;
          this.#report(`Its ${TITLES[name]} could not be listed: ${messageOf(error)}`);
          return {};
        }),
      ),
    );
    const all: Partial<Lists> = Object.assign({}, ...parts);
    this.#lists = { ...this.#lists, ...all };
    await this.#onLists(this.#lists);
    this.#delivered = all;
  }

  /** Reads the lists of a capability again after each announced change. */
  async #follow(kind: Kind): Promise<void> {
    const watch = this.#client.watch({ list: kind }, { signal: this.#stop.signal });
    // Legacy servers need no subscription, so no change is missed from now on.
    if (kind === 'tools' && this.#client.era === 'legacy') this.#notifiedSince = performance.now();
    watch.ready.then(
      () => {
        if (kind === 'tools') this.#notifiedSince = Math.min(this.#notifiedSince, performance.now());
      },
      () => {},
    );
    try {
      for await (const _change of watch) {
        // The first read must not overwrite a later one.
        await this.ready.catch(() => {});
        for (const name of LISTS_OF[kind]) this.#refreshers[name].changed();
      }
    } catch {
      // The server does not announce changes after all.
    }
    if (kind === 'tools') this.#notifiedSince = Infinity;
  }

  async #read(name: ListName): Promise<void> {
    const startedAt = performance.now();
    const part = await readList(this.#client, name, true);
    this.#stop.signal.throwIfAborted();
    if (!isDeepStrictEqual(part[name], this.#delivered[name])) {
      this.#lists = { ...this.#lists, ...part };
      await this.#onLists(this.#lists);
      this.#delivered = { ...this.#delivered, ...part };
    }
    if (name === 'tools') this.#toolsReadAt = startedAt;
  }
}
