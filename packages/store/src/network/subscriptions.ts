import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store-error.ts';
import { withJitter } from './delays.ts';
import { type BusDriver, closed, PAUSE_MS, unavailable } from './driver.ts';
import { Listeners } from './listeners.ts';

/** How often to check that the server still answers, in milliseconds: no message may come for days. */
const CHECK_MS = 5_000;
/** The maximum number of channels to ask for at once. */
const CHANNELS = 1_000;

/** Waits until the server has confirmed that it sends the messages of a channel. */
interface Confirmation {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Receives the messages of channels. Opens a connection with the first of them, and replaces it whenever it is lost. */
export class Subscriptions<Client> {
  readonly #driver: BusDriver<Client>;
  readonly #busyMs: number;
  readonly #listeners = new Listeners();
  /** Of the channels that somebody listens to, on the present connection or the next one. */
  readonly #confirmations = new Map<string, Confirmation>();
  /** Those of them of which messages may have been lost, because a connection was. */
  readonly #interrupted = new Set<string>();
  #client: Client | undefined;
  #isConnecting = false;
  #cause: unknown;
  #closed = false;

  constructor(driver: BusDriver<Client>, busyMs: number) {
    this.#driver = driver;
    this.#busyMs = busyMs;
  }

  /** Resolves when messages arrive, with the function that unsubscribes. Rejects with a `StoreError`. */
  async subscribe(channel: string, listener: (message: unknown) => void, missed?: () => void): Promise<() => void> {
    const { place } = this.#driver;
    if (this.#closed) throw closed(place);
    const remove = this.#listeners.add(channel, listener, missed);
    const unsubscribe = (): void => {
      remove();
      this.#leave(channel);
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const giveUp = (): void => reject(unavailable(place, `could not be reached for ${this.#busyMs} ms`, this.#cause));
      timer = setTimeout(giveUp, this.#busyMs);
    });
    try {
      await Promise.race([(this.#confirmations.get(channel) ?? this.#join(channel)).promise, late]);
      return unsubscribe;
    } catch (error) {
      unsubscribe();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    for (const { reject } of this.#confirmations.values()) reject(closed(this.#driver.place));
    if (this.#client !== undefined) this.#driver.disconnect(this.#client);
  }

  #join(channel: string): Confirmation {
    const confirmation = newConfirmation();
    this.#confirmations.set(channel, confirmation);
    if (this.#client === undefined) void this.#connect();
    else void this.#request(this.#client, [channel]);
    return confirmation;
  }

  #leave(channel: string): void {
    if (this.#listeners.has(channel) || !this.#confirmations.delete(channel)) return;
    this.#interrupted.delete(channel);
    if (this.#client === undefined) return;
    this.#driver.unsubscribe(this.#client, channel).catch(() => {});
  }

  /** Asks for the messages of channels. If the connection is lost meanwhile, they are asked for again on the next one. */
  async #request(client: Client, channels: readonly string[]): Promise<void> {
    try {
      await this.#driver.subscribe(client, channels);
      if (client === this.#client) for (const channel of channels) this.#confirm(channel);
    } catch (error) {
      if (!this.#driver.isFinal(error)) return;
      for (const channel of channels) this.#confirmations.get(channel)?.reject(this.#driver.explained(error));
    }
  }

  /** The server sends the messages of a channel. */
  #confirm(channel: string): void {
    this.#confirmations.get(channel)?.resolve();
    if (this.#interrupted.delete(channel)) this.#listeners.reportMissed(channel);
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    for (let pause = PAUSE_MS.first; !this.#closed; pause = Math.min(2 * pause, PAUSE_MS.most)) {
      const client = await this.#open();
      if (client !== undefined) {
        this.#use(client);
        break;
      }
      await sleep(withJitter(pause));
    }
    this.#isConnecting = false;
  }

  /** Undefined: it failed. */
  async #open(): Promise<Client | undefined> {
    try {
      const client = await this.#driver.open(this.#busyMs);
      if (this.#driver.isOpen(client) && !this.#closed) return client;
      this.#driver.disconnect(client);
    } catch (error) {
      this.#cause = error;
      if (error instanceof StoreError || this.#driver.isFinal(error))
        for (const { reject } of this.#confirmations.values()) reject(this.#driver.explained(error));
    }
    return undefined;
  }

  #use(client: Client): void {
    const driver = this.#driver;
    this.#client = client;
    const checking = setInterval(() => void this.#check(client), CHECK_MS).unref();
    const ended = (): void => {
      clearInterval(checking);
      this.#client = undefined;
      // Who subscribes now waits for the next connection.
      for (const [channel, before] of this.#confirmations) {
        const next = newConfirmation();
        next.promise.then(before.resolve, before.reject);
        this.#confirmations.set(channel, next);
        this.#interrupted.add(channel);
      }
      if (!this.#closed) void this.#connect();
    };
    driver.listen(client, (channel, json) => this.#listeners.deliver(channel, json), ended);
    const channels = [...this.#confirmations.keys()];
    for (let at = 0; at < channels.length; at += CHANNELS)
      void this.#request(client, channels.slice(at, at + CHANNELS));
  }

  /** Ends a connection that no longer answers. */
  async #check(client: Client): Promise<void> {
    const timer = setTimeout(() => this.#driver.disconnect(client), this.#busyMs).unref();
    await this.#driver.ping(client).catch(() => {});
    clearTimeout(timer);
  }
}

function newConfirmation(): Confirmation {
  let settle: Omit<Confirmation, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  // Nobody may be waiting for it any more.
  promise.catch(() => {});
  return { promise, ...settle! };
}
