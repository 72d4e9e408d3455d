import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decodeUtf8 } from '@tenon/values/utf8';
import { emptyGraph, type Graph } from './graph.ts';
import { graphIn, linesOf } from './lines.ts';
import { dropDrafts, replace, TakenOverError } from './replace.ts';
import { targetOf } from '../../shared/link-target.ts';

/** Stores a graph. */
export interface GraphStore {
  read<T>(look: (graph: Graph) => T): Promise<T>;
  /** Changes the graph. Resolves when the change is stored; if it rejects, nothing was changed. */
  change<T>(act: (graph: Graph) => T): Promise<T>;
}

/** Maximum size of a graph in bytes, because it is read as a whole. */
const MAX_BYTES = 64 * 1024 * 1024;
/** How many times a change is tried if another process takes over the lock meanwhile. */
const MAX_ATTEMPTS = 5;

function tooLarge(): Error {
  return new RangeError(`The graph would be larger than ${MAX_BYTES} bytes: delete something first`);
}

/** Stores a graph in memory. */
export function createMemoryStore(maxBytes = 4 * 1024 * 1024): GraphStore {
  let graph = emptyGraph();
  return {
    read: async (look) => look(graph),
    async change(act) {
      const next = { entities: new Map(graph.entities), relations: new Map(graph.relations) };
      const result = act(next);
      if (Buffer.byteLength(linesOf(next)) > maxBytes) throw tooLarge();
      graph = next;
      return result;
    },
  };
}

interface Pending {
  readonly act: (graph: Graph) => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Applies the changes, each completely or not at all. `settle`: the callbacks to call after the graph has been stored. */
function applyAll(
  graph: Graph,
  batch: readonly Pending[],
): { readonly settle: readonly (() => void)[]; hasChanged: boolean } {
  const settle: (() => void)[] = [];
  let hasChanged = false;
  for (const { act, resolve, reject } of batch) {
    const draft: Graph = { entities: new Map(graph.entities), relations: new Map(graph.relations) };
    try {
      const result = act(draft) as never;
      graph.entities.clear();
      graph.relations.clear();
      for (const [name, entity] of draft.entities) graph.entities.set(name, entity);
      for (const [key, relation] of draft.relations) graph.relations.set(key, relation);
      settle.push(() => resolve(result));
      hasChanged = true;
    } catch (error) {
      settle.push(() => reject(error));
    }
  }
  return { settle, hasChanged };
}

/**
 * Stores a graph in a file of JSON lines that several processes may share. Concurrent changes are written together: the first one takes the
 * lock, reads what other processes have written, applies all changes, and replaces the file.
 */
export function createFileStore(named: string): GraphStore {
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
    if (!found.isFile()) throw new Error(`${path} is not a file`);
    if (found.size > MAX_BYTES) throw tooLarge();
    try {
      const text = decodeUtf8(await readFile(path));
      if (text === undefined) throw new SyntaxError('it is not text in UTF-8');
      const graph = graphIn(text);
      known = { mark, graph };
      return graph;
    } catch (error) {
      if (error instanceof SyntaxError)
        throw new Error(`${path} is not a memory file, and was not changed: ${error.message}`, { cause: error });
      throw error;
    }
  };

  const writeAll = async (path: string, batch: readonly Pending[], isOwn: () => Promise<boolean>): Promise<void> => {
    await dropDrafts(path);
    // Do not trust the cache here: another file may have the same size and time.
    known = undefined;
    const before = await load(path);
    const graph: Graph = { entities: new Map(before.entities), relations: new Map(before.relations) };
    const { settle, hasChanged } = applyAll(graph, batch);
    const text = linesOf(graph);
    if (Buffer.byteLength(text) > MAX_BYTES) throw tooLarge();
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    if (hasChanged) await replace(path, text, mode, isOwn);
    known = undefined;
    for (const callback of settle) callback();
  };

  /** Writes to the target of links, so that links are preserved, and all names of the file share one lock. */
  const write = async (batch: readonly Pending[], tries = 1): Promise<void> => {
    await mkdir(dirname(named), { recursive: true, mode: 0o700 });
    const path = await targetOf(named);
    // Loaded here, so that a server that only reads does not load it.
    const { withLock } = await import('tenon/internal');
    try {
      await withLock(`${path}.lock`, (isOwn) => writeAll(path, batch, isOwn));
    } catch (error) {
      if (!(error instanceof TakenOverError)) throw error;
      if (tries < MAX_ATTEMPTS) return write(batch, tries + 1);
      throw new Error(
        `Other processes took over ${path} ${MAX_ATTEMPTS} times while it was written: nothing was changed`,
        {
          cause: error,
        },
      );
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
}
