import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';
import { withJitter } from './delays.ts';
import { closed, type Driver, PAUSE_MS, unavailable } from './driver.ts';

/** The maximum number of operations that run or wait, and of characters in them. A single operation may be larger. */
const MAX_PENDING = { operations: 10_000, characters: 128 * 1024 ** 2 };
const DOUBT = ', so it is not known whether the operation took effect';

/** What to do if the answer to an operation is lost. It may have had its effect, so some operations must not be run again. */
export type AfterLoss = 'run-again' | 'reject';

interface Operation<Client> {
  readonly afterLoss: AfterLoss;
  readonly run: (client: Client) => Promise<void>;
  readonly reject: (error: unknown) => void;
  /** The connection on which it runs. */
  client: Client | undefined;
  /** Why it has not succeeded so far. */
  cause: unknown;
  hasEnded: boolean;
}

/**
 * A connection to a server, opened when an operation needs it. While the server is away, operations wait, and when it is back they run in
 * the order in which they came.
 */
export class Connection<Client> {
  readonly #driver: Driver<Client>;
  readonly #busyMs: number;
  #client: Client | undefined;
  #isConnecting = false;
  /** Operations that wait for a connection. */
  readonly #waiting = new Set<Operation<Client>>();
  /** The results of all operations that have not ended. */
  readonly #pending = new Set<Promise<unknown>>();
  #pendingCharacters = 0;
  #closed = false;

  constructor(driver: Driver<Client>, busyMs: number) {
    this.#driver = driver;
    this.#busyMs = busyMs;
  }

  /** Runs an operation that sends so many characters. Rejects with a `StoreError`, or with what the driver makes of an answer. */
  async run<T>(work: (client: Client) => Promise<T>, afterLoss: AfterLoss, characters = 0): Promise<T> {
    const { place } = this.#driver;
    if (this.#closed) throw closed(place);
    const { size } = this.#pending;
    if (size >= MAX_PENDING.operations || (size > 0 && this.#pendingCharacters + characters > MAX_PENDING.characters))
      throw unavailable(place, `is too slow: ${size} operations wait for it already`, undefined);
    let operation: Operation<Client> | undefined;
    const result = new Promise<T>((resolve, reject) => {
      const run = async (client: Client): Promise<void> => resolve(await work(client));
      operation = { afterLoss, run, reject, client: undefined, cause: undefined, hasEnded: false };
      this.#start(operation);
    });
    const timer = setTimeout(() => this.#giveUp(operation!), this.#busyMs);
    this.#pending.add(result);
    this.#pendingCharacters += characters;
    try {
      return await result;
    } finally {
      clearTimeout(timer);
      operation!.hasEnded = true;
      this.#pending.delete(result);
      this.#pendingCharacters -= characters;
    }
  }

  /** Waits for running operations. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#pending);
    if (this.#client !== undefined) this.#driver.disconnect(this.#client);
  }

  #start(operation: Operation<Client>): void {
    const client = this.#client;
    if (client !== undefined && this.#driver.isOpen(client) && this.#waiting.size === 0) {
      void this.#attempt(operation, client);
      return;
    }
    this.#waiting.add(operation);
    void this.#connect();
  }

  async #attempt(operation: Operation<Client>, client: Client): Promise<void> {
    operation.client = client;
    try {
      await operation.run(client);
    } catch (error) {
      if (operation.hasEnded) return;
      const driver = this.#driver;
      const isTemporary = driver.isTemporary(error);
      if (driver.isOpen(client) && !isTemporary) return operation.reject(driver.explained(error));
      driver.disconnect(client);
      operation.cause = error;
      if (operation.afterLoss === 'run-again' || isTemporary) this.#start(operation);
      else operation.reject(unavailable(driver.place, `was lost before it answered${DOUBT}`, error));
    }
  }

  /** Connects, for as long as operations wait. Then runs them. */
  async #connect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let pause = PAUSE_MS.first; this.#waiting.size > 0; pause = Math.min(2 * pause, PAUSE_MS.most)) {
      try {
        this.#client = await this.#driver.open(this.#busyMs);
        break;
      } catch (error) {
        this.#fail(error);
      }
      if (this.#waiting.size > 0) await sleep(withJitter(pause));
    }
    this.#isConnecting = false;
    const ready = [...this.#waiting];
    this.#waiting.clear();
    for (const operation of ready) void this.#attempt(operation, this.#client!);
  }

  /** An attempt to connect failed. If another one would not help, no operation waits for it. */
  #fail(error: unknown): void {
    const isFinal = error instanceof StoreError || this.#driver.isFinal(error);
    for (const operation of this.#waiting) {
      operation.cause = error;
      if (isFinal) operation.reject(this.#driver.explained(error));
    }
    if (isFinal) this.#waiting.clear();
  }

  /** The time of an operation is up. */
  #giveUp(operation: Operation<Client>): void {
    const { place } = this.#driver;
    if (this.#waiting.delete(operation)) {
      operation.reject(unavailable(place, `could not be reached for ${this.#busyMs} ms`, operation.cause));
      return;
    }
    operation.hasEnded = true;
    const doubt = operation.afterLoss === 'reject' ? DOUBT : '';
    operation.reject(unavailable(place, `did not answer for ${this.#busyMs} ms${doubt}`, operation.cause));
    // The next operation tries a new connection.
    if (operation.client !== undefined) this.#driver.disconnect(operation.client);
  }
}
