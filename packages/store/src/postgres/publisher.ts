import { StoreError } from '../store-error.ts';
import type { Connections } from './connections.ts';

/** The maximum number of messages in one statement: their numbers have to fit into one notification, which has at most 8,000 bytes. */
const BATCH = 100;
/** The maximum size of the messages in one statement, in characters, unless a single one is larger. */
const BATCH_CHARACTERS = 1024 * 1024;
/** The maximum size of the messages that wait, in characters. */
const MAX_WAITING_CHARACTERS = 64 * 1024 * 1024;
/** How often old messages are removed, in milliseconds, and how many at once. */
const CLEAN_MS = 10_000;
const CLEAN = 1_000;

interface Waiting {
  readonly topic: Buffer;
  readonly body: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** Stores messages in the order of the calls, together if several wait. */
export class Publisher {
  readonly #connections: Connections;
  readonly #schema: string;
  #waiting: Waiting[] = [];
  #characters = 0;
  #isRunning = false;
  #cleanAt = 0;

  constructor(connections: Connections, schema: string) {
    this.#connections = connections;
    this.#schema = schema;
  }

  /** Resolves when the message is stored. A message whose connection broke is not repeated, because it may have arrived. */
  publish(topic: Buffer, body: string): Promise<void> {
    const { name } = this.#connections;
    if (body.length > MAX_WAITING_CHARACTERS) throw new RangeError(`A message is larger than a bus can pass on`);
    if (this.#characters + body.length > MAX_WAITING_CHARACTERS)
      throw new StoreError('busy', `Too many messages wait for ${name}. Try again later.`);
    this.#characters += body.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ topic, body, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#store(batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // While the database is away, each further batch would wait again, and the last message for much too long.
        const isAway = error instanceof StoreError && error.code === 'unavailable';
        for (const { reject } of [...batch, ...(isAway ? this.#take(this.#waiting.length) : [])]) reject(error);
      }
    }
    this.#isRunning = false;
    if (performance.now() >= this.#cleanAt) void this.#clean();
  }

  #takeBatch(): readonly Waiting[] {
    let characters = 0;
    let count = 0;
    for (const { body } of this.#waiting) {
      characters += body.length;
      if (count === BATCH || (count > 0 && characters > BATCH_CHARACTERS)) break;
      count++;
    }
    return this.#take(count);
  }

  #take(count: number): readonly Waiting[] {
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const { body } of taken) this.#characters -= body.length;
    return taken;
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    const values = [batch.map(({ topic }) => topic), batch.map(({ body }) => body)];
    const way = { what: 'publish', repeatable: false };
    await this.#connections.run(`SELECT "${this.#schema}".publish($1, $2)`, values, way);
  }

  /** Removes old messages. If that fails, they are removed later. */
  async #clean(): Promise<void> {
    this.#cleanAt = Infinity;
    const way = { what: 'clean', repeatable: true };
    try {
      for (let removed = CLEAN; removed === CLEAN;) {
        const sql = `SELECT "${this.#schema}".remove_messages($1) AS removed`;
        const [row] = await this.#connections.run<{ removed: number }>(sql, [CLEAN], way);
        ({ removed } = row!);
      }
    } catch {
      // The next message tries again.
    }
    this.#cleanAt = performance.now() + CLEAN_MS;
  }
}
