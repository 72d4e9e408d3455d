import type { EngineBus } from '../engine.ts';
import { Connection } from './connection.ts';
import type { BusDriver } from './driver.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * A bus on a server, with a connection that sends and one that receives. While the server is away, messages wait for a while; those that
 * other nodes send meanwhile are lost.
 */
export class NetworkBus<Client> implements EngineBus {
  readonly #driver: BusDriver<Client>;
  readonly #sender: Connection<Client>;
  readonly #subscriptions: Subscriptions<Client>;

  constructor(driver: BusDriver<Client>, busyMs: number) {
    this.#driver = driver;
    this.#sender = new Connection(driver, busyMs);
    this.#subscriptions = new Subscriptions(driver, busyMs);
  }

  /** Connects for the first time. */
  async open(): Promise<void> {
    await this.#sender.run((client) => this.#driver.ping(client), 'run-again');
  }

  async publish(topic: string, message: unknown): Promise<void> {
    const json = JSON.stringify(message) ?? 'null';
    const channel = this.#driver.channelOf(topic);
    await this.#sender.run((client) => this.#driver.publish(client, channel, json), 'reject', json.length);
  }

  subscribe(topic: string, listener: (message: unknown) => void, missed?: () => void): Promise<() => void> {
    return this.#subscriptions.subscribe(this.#driver.channelOf(topic), listener, missed);
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
    await this.#sender.close();
  }
}
