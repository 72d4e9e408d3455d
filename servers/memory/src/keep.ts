import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { emptyGraph, type Graph } from './graph.ts';
import { graphIn, linesOf } from './lines.ts';
import { dropDrafts, replace, TakenOverError } from './replace.ts';
import { targetOf } from './target.ts';

/** Where a graph is kept. */
export interface Keep {
  read<T>(look: (graph: Graph) => T): Promise<T>;
  /** Changes the graph. Resolves when that is kept for good, and rejects when nothing was changed. */
  change<T>(act: (graph: Graph) => T): Promise<T>;
}

/** Most bytes of a graph: it is read as a whole. */
const MOST_BYTES = 64 * 1024 * 1024;
/** How often a change is made anew when somebody takes over meanwhile. */
const MOST_TRIES = 5;

const tooLarge = (): Error =>
  new RangeError(`The graph would be larger than ${MOST_BYTES} bytes: forget something first`);

/** A graph that lives as long as whoever it is for. */
export const keepInMemory = (mostBytes = 4 * 1024 * 1024): Keep => {
  let graph = emptyGraph();
  return {
    read: async (look) => look(graph),
    async change(act) {
      const next = { entities: new Map(graph.entities), relations: new Map(graph.relations) };
      const result = act(next);
      if (Buffer.byteLength(linesOf(next)) > mostBytes) throw tooLarge();
      graph = next;
      return result;
    },
  };
};

interface Pending {
  readonly act: (graph: Graph) => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes changes, each wholly or not at all. Gives what is to be told when they are kept: nobody is told before. */
const changed = (
  graph: Graph,
  batch: readonly Pending[],
): { readonly tell: readonly (() => void)[]; anyMade: boolean } => {
  const tell: (() => void)[] = [];
  let anyMade = false;
  for (const { act, resolve, reject } of batch) {
    const draft: Graph = { entities: new Map(graph.entities), relations: new Map(graph.relations) };
    try {
      const result = act(draft) as never;
      graph.entities.clear();
      graph.relations.clear();
      for (const [name, entity] of draft.entities) graph.entities.set(name, entity);
      for (const [key, relation] of draft.relations) graph.relations.set(key, relation);
      tell.push(() => resolve(result));
      anyMade = true;
    } catch (error) {
      tell.push(() => reject(error));
    }
  }
  return { tell, anyMade };
};

/**
 * A graph in a file of lines that several processes may share. Changes that come at the same time are written together: one of them takes
 * the lock, reads what others have written meanwhile, makes all changes, and replaces the file.
 */
export const keepInFile = (named: string): Keep => {
  let known: { readonly mark: string; readonly graph: Graph } | undefined;
  let waiting: Pending[] = [];
  let isWriting = false;

  const load = async (path: string): Promise<Graph> => {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return emptyGraph();
    const mark = `${path} ${found.ino} ${found.size} ${found.mtimeMs}`;
    if (known?.mark === mark) return known.graph;
    if (!found.isFile()) throw new Error(`${path} is no file`);
    if (found.size > MOST_BYTES) throw tooLarge();
    try {
      const graph = graphIn(await readFile(path, 'utf8'));
      known = { mark, graph };
      return graph;
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new Error(`${path} is no memory, and is left as it is: ${error.message}`, { cause: error });
      throw error;
    }
  };

  const writeAll = async (path: string, batch: readonly Pending[], isOwn: () => Promise<boolean>): Promise<void> => {
    await dropDrafts(path);
    // What is known may be of another file that looks the same: what is written is made of what is there.
    known = undefined;
    const before = await load(path);
    const graph: Graph = { entities: new Map(before.entities), relations: new Map(before.relations) };
    const { tell, anyMade } = changed(graph, batch);
    const text = linesOf(graph);
    if (Buffer.byteLength(text) > MOST_BYTES) throw tooLarge();
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    if (anyMade) await replace(path, text, mode, isOwn);
    known = undefined;
    for (const one of tell) one();
  };

  /** A link to the file stays one, and whoever comes by another name shares the lock. */
  const write = async (batch: readonly Pending[], tries = 1): Promise<void> => {
    await mkdir(dirname(named), { recursive: true, mode: 0o700 });
    const path = await targetOf(named);
    // A server that only reads does not load it.
    const { withLock } = await import('tenon/internal');
    try {
      await withLock(`${path}.lock`, (isOwn) => writeAll(path, batch, isOwn));
    } catch (error) {
      if (!(error instanceof TakenOverError)) throw error;
      if (tries < MOST_TRIES) return write(batch, tries + 1);
      throw new Error(`Others took over ${path} again and again while it was written: nothing was changed`, {
        cause: error,
      });
    }
  };

  const work = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await write(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };

  return {
    read: async (look) => look(await load(await targetOf(named))),
    change: (act) =>
      new Promise((resolve, reject) => {
        waiting.push({ act, resolve, reject });
        if (!isWriting) void work();
      }),
  };
};
