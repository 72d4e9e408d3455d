import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import type { MessageRow, Receiver, Subscribed } from './receiver.ts';

/** How often to look for messages, in milliseconds, and how many to take at once. */
const POLL_MS = 100;
const BATCH = 200;
/**
 * How long the database may be away until messages are lost, in milliseconds: it keeps them for a minute. A crash loses all of them, which is
 * noticed only if a poll fails meanwhile.
 */
const KEPT_MS = 50_000;
/** The maximum delay while the database is away, in milliseconds: doubled each time. */
const MAX_POLL_MS = 1_000;

/** Receives messages by looking for them while there are subscribers, for poolers that give no session in which to listen. */
export class PollReceiver implements Receiver {
  readonly #schema: string;
  readonly #connections: Connections;
  readonly #subscribed: Subscribed;
  /** Resolves when the number of the last message is known. Undefined: there are no subscribers. */
  #started: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #last = 0;
  readonly #closing = new AbortController();

  constructor({ schema }: DatabaseAddress, connections: Connections, subscribed: Subscribed) {
    this.#schema = schema;
    this.#connections = connections;
    this.#subscribed = subscribed;
  }

  async start(): Promise<void> {
    this.#started ??= this.#begin();
    try {
      await this.#started;
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#started?.catch(() => {});
    await this.#running;
  }

  async #begin(): Promise<void> {
    const way = { what: 'subscribe', repeatable: true };
    const sql = `SELECT "${this.#schema}".last_message() AS id`;
    const [row] = await this.#connections.run<{ id: string }>(sql, [], way);
    this.#last = Number(row!.id);
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let pause = POLL_MS;
    let polledAt = performance.now();
    let hasFailed = false;
    while (!signal.aborted && this.#subscribed.topics().length > 0) {
      try {
        const began = performance.now();
        pause = await this.#poll();
        if (hasFailed || performance.now() - polledAt > KEPT_MS) this.#subscribed.reportMissed();
        polledAt = began;
        hasFailed = false;
      } catch {
        hasFailed = true;
        pause = Math.min(2 * Math.max(pause, POLL_MS), MAX_POLL_MS);
      }
      // A program that has nothing else to do can end.
      await sleep(pause, undefined, { ref: false, signal }).catch(() => {});
    }
    this.#started = undefined;
  }

  /** Takes messages. Returns the delay before the next time. */
  async #poll(): Promise<number> {
    const way = { what: 'receive', repeatable: true };
    const sql = `SELECT * FROM "${this.#schema}".messages_after($1, $2, $3)`;
    const values = [this.#last, this.#subscribed.topics(), BATCH];
    const [first, ...rows] = await this.#connections.run<MessageRow>(sql, values, way);
    const last = Number(first!.id);
    const isMore = last - this.#last >= BATCH;
    this.#last = last;
    this.#subscribed.deliver(rows);
    return isMore ? 0 : POLL_MS;
  }
}
