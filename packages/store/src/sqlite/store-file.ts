import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { explained, isBusy, isFull } from './failures.ts';
import { checkOwner, createFile, prepareDatabase, rollBack } from './open-file.ts';
import { StoreError } from '../store-error.ts';

/** The delay before a retry while another process writes, in milliseconds: doubled each time, with jitter. */
const PAUSE_MS = { first: 1, most: 32 };

/**
 * The durability of a change: `forced-to-disk` survives a power cut; if it is only `written`, the last changes may be lost. Both survive a
 * sudden end of the process.
 */
export type Durability = 'forced-to-disk' | 'written';

/** Thrown by work that turns out to need a forced write. */
const NOT_FORCED = Symbol('not forced');

/**
 * The file of a store, opened with SQLite. Operations run synchronously, in the order of the calls. Only while other processes write, a
 * promise is returned: then this operation and the following ones are retried for a while, without blocking this process.
 */
export class StoreFile {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #busyMs: number;
  readonly #identity: string;
  #forced: boolean | undefined;
  /** The disk was full, and the write-ahead log could not be moved into the file. */
  #wasFull = false;
  /** Resolves when the operations that wait for other processes have ended. Undefined: none is waiting. */
  #waiting: Promise<void> | undefined;
  #closed = false;

  private constructor(path: string, database: DatabaseSync, busyMs: number) {
    this.path = path;
    this.#database = database;
    this.#busyMs = busyMs;
    this.#identity = identityOf(path) ?? '';
  }

  static async open(sqlite: typeof import('node:sqlite'), path: string, busyMs: number): Promise<StoreFile> {
    let database: DatabaseSync | undefined;
    try {
      const late = performance.now() + busyMs;
      createFile(path);
      await retry(() => checkOwner(sqlite, path), late, path);
      const opened = (database = new sqlite.DatabaseSync(path));
      await retry(() => prepareDatabase(opened, path), late, path);
      return new StoreFile(path, opened, busyMs);
    } catch (error) {
      database?.close();
      throw explained(error, path);
    }
  }

  prepare(sql: string): StatementSync {
    return this.#database.prepare(sql);
  }

  /** Reads with one statement. */
  read<T>(work: () => T): T | Promise<T> {
    return this.#run(work);
  }

  /**
   * Runs work in one transaction. It calls `force` if its changes must survive a power cut. If it returns a `RangeError`, its changes are
   * kept, and the error is thrown; if it throws, its changes are rolled back.
   */
  write<T>(lasting: Durability, work: (force: () => void) => T | RangeError): T | Promise<T> {
    return this.#run(() => {
      // Before new writes use the room that may be available again.
      if (this.#wasFull) this.#makeRoom();
      try {
        return this.#transact(lasting === 'forced-to-disk', work);
      } catch (error) {
        if (error !== NOT_FORCED && !(isFull(error) && this.#makeRoom())) throw error;
        return this.#transact(true, work);
      }
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#waiting;
    this.#database.close();
  }

  #run<T>(work: () => T): T | Promise<T> {
    if (this.#closed) throw new StoreError('closed', `The store ${this.path} is closed`);
    const attempt = (): T => {
      this.#checkFile();
      return work();
    };
    const late = performance.now() + this.#busyMs;
    if (this.#waiting !== undefined) return this.#wait(this.#waiting, attempt, late);
    try {
      return attempt();
    } catch (error) {
      if (isBusy(error)) return this.#wait(Promise.resolve(), attempt, late);
      throw explained(error, this.path);
    }
  }

  /** Tries when the waiting operations have ended, so that the order is kept. */
  #wait<T>(before: Promise<void>, attempt: () => T, late: number): Promise<T> {
    const mine = before
      .then(() => retry(attempt, late, this.path))
      .catch((error: unknown) => {
        throw explained(error, this.path);
      });
    const ended = mine.then(
      () => {},
      () => {},
    );
    this.#waiting = ended;
    void ended.then(() => {
      if (this.#waiting === ended) this.#waiting = undefined;
    });
    return mine;
  }

  #transact<T>(forced: boolean, work: (force: () => void) => T | RangeError): T {
    this.#force(forced);
    this.#database.exec('BEGIN IMMEDIATE');
    let result: T | RangeError;
    try {
      result = work(() => {
        if (!forced) throw NOT_FORCED;
      });
      this.#database.exec('COMMIT');
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
    if (result instanceof RangeError) throw result;
    return result;
  }

  /** Moves the write-ahead log into the file, where it takes less room. Returns whether there was enough room for that. */
  #makeRoom(): boolean {
    this.#wasFull = true;
    try {
      const { busy } = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { readonly busy: number };
      this.#wasFull = busy !== 0;
    } catch {
      // There was not enough room.
    }
    return !this.#wasFull;
  }

  /** Sets whether each commit waits for the disk. In SQLite this is a setting of the connection. */
  #force(forced: boolean): void {
    if (this.#forced === forced) return;
    this.#database.exec(`PRAGMA synchronous = ${forced ? 'FULL' : 'NORMAL'}`);
    this.#forced = forced;
  }

  /** SQLite would continue to write to a deleted file, which no other process finds. */
  #checkFile(): void {
    if (identityOf(this.path) === this.#identity) return;
    const message = `${this.path} was deleted or replaced while it was in use. Put the file back and start this process again.`;
    throw new StoreError('gone', message);
  }
}

/** Identifies the file at a path; undefined if there is none. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** Retries until no other process interferes, or the time is up. */
async function retry<T>(attempt: () => T, late: number, path: string): Promise<T> {
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() >= late)
        throw new StoreError(
          'busy',
          `${path} is busy: other processes have been writing to it all the time. Try again later.`,
          {
            cause: error,
          },
        );
    }
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }
}
