import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withLock } from 'tenon/node';
import { emptyGraph, type Graph } from './graph.ts';
import { graphIn, linesOf } from './lines.ts';

/** Where a graph is kept. */
export interface Keep {
  read<T>(look: (graph: Graph) => T): Promise<T>;
  /** Changes the graph. Resolves when that is kept for good, and rejects when nothing was changed. */
  change<T>(act: (graph: Graph) => T): Promise<T>;
}

/** Most bytes of a graph: it is read as a whole. */
const MOST_BYTES = 64 * 1024 * 1024;

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

/** Writes all of a file so that it is either as before or as after, whatever happens in between. */
const replace = async (path: string, text: string, mode: number): Promise<void> => {
  const next = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(next, 'wx', mode);
    try {
      // The mask of the process may have taken something away.
      await file.chmod(mode);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  // The name, too, has to reach the disk.
  const folder = await open(dirname(path)).catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
};

interface Pending {
  readonly act: (graph: Graph) => unknown;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A graph in a file of lines that several processes may share. Changes that come at the same time are written together: one of them takes
 * the lock, reads what others have written meanwhile, makes all changes, and replaces the file.
 */
export const keepInFile = (named: string): Keep => {
  // A link to it stays one, and whoever comes by another name shares the lock.
  let path = named;
  let known: { readonly mark: string; readonly graph: Graph } | undefined;
  let waiting: Pending[] = [];
  let isWriting = false;

  const load = async (): Promise<Graph> => {
    path = await realpath(named).catch(() => named);
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return emptyGraph();
    const mark = `${found.ino} ${found.size} ${found.mtimeMs}`;
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

  const writeAll = async (batch: readonly Pending[]): Promise<void> => {
    const before = await load();
    const graph: Graph = { entities: new Map(before.entities), relations: new Map(before.relations) };
    const done: (() => void)[] = [];
    for (const { act, resolve, reject } of batch) {
      // Each is done wholly, or not at all.
      const draft: Graph = { entities: new Map(graph.entities), relations: new Map(graph.relations) };
      try {
        const result = act(draft) as never;
        graph.entities.clear();
        graph.relations.clear();
        for (const [name, entity] of draft.entities) graph.entities.set(name, entity);
        for (const [key, relation] of draft.relations) graph.relations.set(key, relation);
        done.push(() => resolve(result));
      } catch (error) {
        reject(error);
      }
    }
    const text = linesOf(graph);
    if (Buffer.byteLength(text) > MOST_BYTES) throw tooLarge();
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    if (done.length > 0) await replace(path, text, mode);
    known = undefined;
    for (const tell of done) tell();
  };

  const work = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        path = await realpath(named).catch(() => named);
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await withLock(`${path}.lock`, () => writeAll(batch));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };

  return {
    read: async (look) => look(await load()),
    change: (act) =>
      new Promise((resolve, reject) => {
        waiting.push({ act, resolve, reject });
        if (!isWriting) void work();
      }),
  };
};
