import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { DatabaseAddress } from './address.ts';
import type { Connections } from './connections.ts';
import { endsWithin, withJitter } from '../network/delays.ts';
import { clientConfig, type Driver } from './driver.ts';
import { unavailable } from './failures.ts';
import { channelOf } from './migrate.ts';
import type { MessageRow, Receiver, Subscribed } from './receiver.ts';

/** The delay before the next attempt to connect, in milliseconds: doubled each time, with jitter. */
const PAUSE_MS = { first: 50, most: 1_000 };
/** How often to check that the connection still works, in milliseconds: nothing is sent on it otherwise. */
const CHECK_MS = 15_000;
/** How long to wait for the end of the connection, in milliseconds. */
const END_MS = 1_000;
/** The maximum number of messages that are fetched at once. */
const BATCH = 50;
/** The maximum number of messages that wait to be fetched. The oldest are lost beyond it. */
const MAX_PENDING = 100_000;

/** Receives messages by notifications, on a connection of its own that is opened again when it broke. */
export class SessionReceiver implements Receiver {
  readonly #driver: Driver;
  readonly #address: DatabaseAddress;
  readonly #connections: Connections;
  readonly #subscribed: Subscribed;
  #running: Promise<void> | undefined;
  #client: Client | undefined;
  /** Called when the connection listens. */
  #waiting: (() => void)[] = [];
  #lastFailure: unknown;
  /** The number of the last message on this connection. Numbers increase, so a notification that comes twice is noticed. */
  #last = 0;
  /** Messages may have been lost since the last report. */
  #hasMissed = false;
  #pending: string[] = [];
  #isFetching = false;
  readonly #closing = new AbortController();

  constructor(driver: Driver, address: DatabaseAddress, connections: Connections, subscribed: Subscribed) {
    this.#driver = driver;
    this.#address = address;
    this.#connections = connections;
    this.#subscribed = subscribed;
  }

  async start(): Promise<void> {
    this.#running ??= this.#run();
    if (this.#client !== undefined) return;
    const { name, busyMs } = this.#connections;
    const listens = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!(await endsWithin(listens, busyMs))) throw unavailable(name, busyMs, this.#lastFailure);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const wake of this.#waiting.splice(0)) wake();
    const client = this.#client;
    if (
      client !== undefined &&
      !(await endsWithin(
        client.end().catch(() => {}),
        END_MS,
      ))
    )
      cut(client);
    await this.#running;
  }

  /** Keeps a connection that listens. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let pause = PAUSE_MS.first;
    while (!signal.aborted) {
      try {
        const { client, ended } = await this.#listen();
        pause = PAUSE_MS.first;
        const check = setInterval(() => void this.#check(client), CHECK_MS).unref();
        this.#reportMissed();
        await ended;
        this.#hasMissed = true;
        clearInterval(check);
      } catch (error) {
        this.#lastFailure = error;
      }
      this.#client = undefined;
      // A program that has nothing else to do can end.
      await sleep(withJitter(pause), undefined, { ref: false, signal }).catch(() => {});
      pause = Math.min(2 * pause, PAUSE_MS.most);
    }
  }

  async #listen(): Promise<{ readonly client: Client; readonly ended: Promise<void> }> {
    const client = new this.#driver.Client(clientConfig(this.#address, this.#connections.busyMs));
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', (error) => (this.#lastFailure = error));
    client.on('notification', ({ payload }) => this.#notified(payload ?? ''));
    const { name, busyMs } = this.#connections;
    const stop = (): void => cut(client);
    this.#closing.signal.addEventListener('abort', stop);
    try {
      await client.connect();
      // After a crash of the server, numbers may be given again.
      this.#last = 0;
      // A server that accepts connections and does not answer must not keep it here.
      const listens = client.query(`LISTEN ${channelOf(this.#address.schema)}`);
      if (!(await endsWithin(listens, busyMs))) throw unavailable(name, busyMs, this.#lastFailure);
    } catch (error) {
      cut(client);
      throw error;
    } finally {
      this.#closing.signal.removeEventListener('abort', stop);
    }
    (client.connection.stream as Socket).unref();
    this.#client = client;
    if (this.#closing.signal.aborted) cut(client);
    for (const wake of this.#waiting.splice(0)) wake();
    return { client, ended };
  }

  /** Cuts a connection that does not answer, such as one over a network that was interrupted. */
  async #check(client: Client): Promise<void> {
    const ms = Math.min(this.#connections.busyMs, CHECK_MS);
    const works = await endsWithin(client.query('SELECT'), ms).catch(() => false);
    if (!works) cut(client);
  }

  /** Takes the numbers and topics out of a notification. */
  #notified(payload: string): void {
    for (const item of payload.split(' ')) {
      const [id = '', topic = ''] = item.split('.');
      if (!(Number(id) > this.#last)) continue;
      this.#last = Number(id);
      if (this.#subscribed.has(topic)) this.#pending.push(id);
    }
    if (this.#pending.length > MAX_PENDING) {
      this.#pending = this.#pending.slice(-MAX_PENDING);
      this.#hasMissed = true;
    }
    if (this.#pending.length > 0 && !this.#isFetching) void this.#fetch();
  }

  async #fetch(): Promise<void> {
    this.#isFetching = true;
    while (this.#pending.length > 0) {
      const ids = this.#pending.slice(0, BATCH);
      this.#pending = this.#pending.slice(BATCH);
      const sql = `SELECT * FROM "${this.#address.schema}".messages_of($1)`;
      const way = { what: 'receive', repeatable: true };
      const rows = await this.#connections.run<MessageRow>(sql, [ids], way).catch(() => undefined);
      // Messages that cannot be fetched are lost.
      if (rows === undefined) this.#hasMissed = true;
      else this.#subscribed.deliver(rows);
    }
    this.#isFetching = false;
    this.#reportMissed();
  }

  /** While there is no connection, messages may still get lost. */
  #reportMissed(): void {
    if (!this.#hasMissed || this.#client === undefined) return;
    this.#hasMissed = false;
    this.#subscribed.reportMissed();
  }
}

function cut(client: Client): void {
  client.connection.stream.destroy();
}
