import type { EngineBus } from '../engine.ts';
import { keyBytes } from '../key-bytes.ts';
import { Listeners } from '../network/listeners.ts';
import { StoreError } from '../store-error.ts';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import type { Driver } from './driver.ts';
import { PollReceiver } from './poll-receiver.ts';
import { Publisher } from './publisher.ts';
import type { MessageRow, Receiver, Subscribed } from './receiver.ts';
import { SessionReceiver } from './session-receiver.ts';
import { sha256 } from './split-key.ts';

/** The bytes of a topic's digest that identify it. The digests of a hundred messages have to fit into one notification. */
const TOPIC_BYTES = 20;

/**
 * A bus in a schema of PostgreSQL. Messages are in a table for a minute, and nodes are notified of their numbers. A message that is published
 * while a node is not connected does not reach that node.
 */
export class PostgresBus implements EngineBus, Subscribed {
  readonly #connections: Connections;
  readonly #publisher: Publisher;
  readonly #receiver: Receiver;
  /** By the digest of their topic, in hexadecimal. */
  readonly #listeners = new Listeners();
  #closed = false;

  constructor(driver: Driver, address: DatabaseAddress, connections: Connections) {
    this.#connections = connections;
    this.#publisher = new Publisher(connections, address.schema);
    this.#receiver = address.poll
      ? new PollReceiver(address, connections, this)
      : new SessionReceiver(driver, address, connections, this);
  }

  async publish(topic: string, message: unknown): Promise<void> {
    this.#checkOpen();
    await this.#publisher.publish(topicId(topic), JSON.stringify(message) ?? 'null');
  }

  async subscribe(topic: string, listener: (message: unknown) => void, missed?: () => void): Promise<() => void> {
    this.#checkOpen();
    const unsubscribe = this.#listeners.add(topicId(topic).toString('hex'), listener, missed);
    try {
      await this.#receiver.start();
    } catch (error) {
      unsubscribe();
      throw error;
    }
    return unsubscribe;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#listeners.clear();
    await this.#receiver.close();
    await this.#connections.close();
  }

  topics(): readonly Buffer[] {
    return this.#listeners.topics().map((id) => Buffer.from(id, 'hex'));
  }

  has(topic: string): boolean {
    return this.#listeners.has(topic);
  }

  deliver(rows: readonly MessageRow[]): void {
    for (const { topic, body } of rows) this.#listeners.deliver(topic.toString('hex'), body);
  }

  reportMissed(): void {
    for (const topic of this.#listeners.topics()) this.#listeners.reportMissed(topic);
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreError('closed', `The bus in ${this.#connections.name} is closed`);
  }
}

/** Identifies a topic, which may be of any length. */
function topicId(topic: string): Buffer {
  return sha256(keyBytes(topic)).subarray(0, TOPIC_BYTES);
}
