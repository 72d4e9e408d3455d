import type { Change, Client, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry, Watch } from 'tenon/client';

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
/** Lists are read again at most once in this time, however often a server says that they changed. */
const EASE_MS = 1_000;

const taken = async <T>(listing: AsyncIterable<T>): Promise<T[]> => {
  const entries: T[] = [];
  for await (const entry of listing) {
    if (entries.length >= MOST_ENTRIES) break;
    entries.push(entry);
  }
  return entries;
};

type Kind = 'tools' | 'resources' | 'prompts';

const readKind = async (client: Client, kind: Kind): Promise<Partial<Lists>> => {
  if (kind === 'tools') return { tools: await taken(client.tools()) };
  if (kind === 'prompts') return { prompts: await taken(client.prompts()) };
  const [resources, templates] = await Promise.all([taken(client.resources()), taken(client.templates())]);
  return { resources, templates };
};

/** Follows what a server offers. */
export interface Follower {
  /** Resolves when the lists were read for the first time. Rejects with what the tools could not be read for. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Reads the lists of a server, and reads them again when it says that they changed. `take` gets all of them each time. */
export const followLists = (
  client: Client,
  take: (lists: Lists) => Promise<void>,
  report: (problem: string) => void,
): Follower => {
  let lists = NO_LISTS;
  const stop = new AbortController();
  const stale = new Set<Kind>();
  let running = false;

  const readAgain = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      while (stale.size > 0 && !stop.signal.aborted) {
        const kinds = [...stale];
        stale.clear();
        for (const kind of kinds) lists = { ...lists, ...(await readKind(client, kind)) };
        if (!stop.signal.aborted) await take(lists);
        await new Promise((resolve) => setTimeout(resolve, EASE_MS).unref());
      }
    } catch (error) {
      // It is there still with what it had; the next change tries again.
      if (!stop.signal.aborted)
        report(`Its lists could not be read again: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      running = false;
    }
  };

  const follow = async (kind: Kind): Promise<void> => {
    const watch: Watch = client.watch(kind, { signal: stop.signal });
    watch.ready.catch(() => {});
    try {
      for await (const _change of watch as AsyncIterable<Change>) {
        stale.add(kind);
        void readAgain();
      }
    } catch {
      // A server that does not tell of changes has a list that stays.
    }
  };

  const first = async (): Promise<void> => {
    const { capabilities } = client;
    const kinds = (['tools', 'resources', 'prompts'] as const).filter((kind) => capabilities[kind] !== undefined);
    for (const kind of kinds)
      if ((capabilities[kind] as { listChanged?: boolean }).listChanged === true) void follow(kind);
    const read = await Promise.all(
      kinds.map((kind) =>
        readKind(client, kind).catch((error: unknown) => {
          if (kind === 'tools') throw error;
          report(`Its ${kind} could not be listed: ${error instanceof Error ? error.message : String(error)}`);
          return {};
        }),
      ),
    );
    lists = Object.assign({}, NO_LISTS, ...read) as Lists;
    await take(lists);
  };

  return {
    ready: first(),
    stop: () => stop.abort(),
  };
};
