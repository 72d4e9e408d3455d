import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { StoreError } from '../store-error.ts';
import type { DatabaseAddress } from './address.ts';
import { endsWithin, withJitter } from '../network/delays.ts';
import { clientConfig, type Driver } from './driver.ts';
import { explained, failureOf, StatementTimeout, unavailable, uncertain } from './failures.ts';

/** The maximum number of connections of a store. */
const MAX_CONNECTIONS = 8;
/** The maximum number of operations that wait for a connection or run. */
const MAX_OPERATIONS = 10_000;
/** When an unused connection is closed, in milliseconds. */
const IDLE_MS = 30_000;
/** The delay before the next attempt to connect, in milliseconds: doubled each time, with jitter. */
const PAUSE_MS = { first: 20, most: 1_000 };
/** How much longer than `busyMs` a statement may run: the server's own limits come first, because then it says what it did. */
const GRACE_MS = 1_000;

/** How to run a statement. */
export interface Way {
  /** Names the operation in messages. */
  readonly what: string;
  /** Whether it may run twice, so that it is repeated after its connection broke. */
  readonly repeatable: boolean;
  /** How long it may run, in milliseconds. Default: a little longer than `busyMs`. */
  readonly patienceMs?: number;
}

/** The connections to a database. They are opened when they are needed, and again when they broke. */
export class Connections {
  readonly name: string;
  readonly busyMs: number;
  readonly #pool: Pool;
  readonly #running = new Set<Promise<unknown>>();
  /** Connections in use. */
  #used = 0;
  /** While the database is away: the one attempt to reach it, which all operations wait for. */
  #recovery: Promise<void> | undefined;
  /** Why the database cannot be reached; undefined if it can, as far as is known. */
  #away: unknown;
  #closed = false;

  constructor(driver: Driver, address: DatabaseAddress, busyMs: number, max = MAX_CONNECTIONS) {
    this.name = address.name;
    this.busyMs = busyMs;
    this.#pool = new driver.Pool({
      ...clientConfig(address, busyMs),
      max,
      idleTimeoutMillis: IDLE_MS,
      // A program that has nothing else to do can end.
      allowExitOnIdle: true,
    });
    // An unused connection was lost. The pool has removed it.
    this.#pool.on('error', () => {});
    // The same for a connection in use: its statement fails.
    this.#pool.on('connect', (client) => void client.on('error', () => {}));
  }

  /** Runs one statement, and returns its rows. It is not prepared by name, so that any pooler can be in between. */
  run<Row extends object>(sql: string, values: readonly unknown[], way: Way): Promise<readonly Row[]> {
    return this.use(way, async (client) => (await client.query<Row>(sql, [...values])).rows);
  }

  /** Runs work with a connection. It waits up to `busyMs` for one, also while the database is away. */
  async use<T>(way: Way, work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new StoreError('closed', `The store in ${this.name} is closed`);
    if (this.#running.size >= MAX_OPERATIONS)
      throw new StoreError('busy', `${MAX_OPERATIONS} operations wait for ${this.name} already. Try again later.`);
    const running = this.#attempts(way, work);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw explained(error, this.name);
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends the connections, after the operations that run or wait. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#running);
    await this.#recovery;
    await this.#pool.end();
  }

  async #attempts<T>(way: Way, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const late = performance.now() + this.busyMs;
    let failed: unknown;
    for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
      const client = await this.#connect(late).catch((error: unknown) => {
        throw failed ?? error;
      });
      try {
        return await this.#work(client, way, work);
      } catch (error) {
        failed = error;
      }
      const failure = failureOf(failed);
      if (failure === 'final') throw failed;
      if (failure === 'lost' && !way.repeatable) throw uncertain(this.name, way.what, failed);
      if (failure === 'lost') failed = unavailable(this.name, this.busyMs, failed);
      if (performance.now() + pause >= late) throw failed;
      await sleep(withJitter(pause));
    }
  }

  /** Runs work once. A connection that broke, or that may lead to the wrong server, is not used again. */
  async #work<T>(client: PoolClient, way: Way, work: (client: PoolClient) => Promise<T>): Promise<T> {
    this.#used++;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patienceMs = way.patienceMs ?? this.busyMs + GRACE_MS;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new StatementTimeout(`no answer for ${patienceMs} ms`)), patienceMs);
    });
    let broken = true;
    try {
      const result = await Promise.race([work(client), late]);
      broken = false;
      return result;
    } catch (error) {
      broken = failureOf(error) !== 'final';
      throw error;
    } finally {
      clearTimeout(timer);
      this.#used--;
      client.release(broken);
    }
  }

  async #connect(late: number): Promise<PoolClient> {
    for (;;) {
      const left = late - performance.now();
      if (left <= 0) throw this.#tooLate();
      if (this.#recovery !== undefined && !(await endsWithin(this.#recovery, left))) continue;
      try {
        const client = await this.#take(late - performance.now());
        this.#away = undefined;
        return client;
      } catch (error) {
        if (failureOf(error) === 'final') throw error;
        this.#away = error;
        this.#recovery ??= this.#recover().finally(() => (this.#recovery = undefined));
      }
    }
  }

  /** Takes a connection out of the pool. If it comes too late, it goes back. */
  #take(ms: number): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(
        () => {
          isLate = true;
          reject(this.#tooLate());
        },
        Math.max(ms, 1),
      );
      this.#pool.connect().then(
        (client) => {
          clearTimeout(timer);
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error as Error);
        },
      );
    });
  }

  #tooLate(): StoreError {
    if (this.#away === undefined && this.#used >= this.#pool.options.max)
      return new StoreError(
        'busy',
        `All connections to ${this.name} were in use for ${this.busyMs} ms. Try again later.`,
      );
    return unavailable(this.name, this.busyMs, this.#away);
  }

  /** Tries to connect until the database is back, or no operation waits for it any more. */
  async #recover(): Promise<void> {
    for (let pause = PAUSE_MS.first; this.#running.size > 0; pause = Math.min(2 * pause, PAUSE_MS.most)) {
      await sleep(withJitter(pause));
      try {
        (await this.#pool.connect()).release();
        return;
      } catch (error) {
        this.#away = error;
        if (failureOf(error) === 'final') return;
      }
    }
  }
}
