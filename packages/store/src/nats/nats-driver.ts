import { randomUUID } from 'node:crypto';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { withoutUndefined } from '@tenon/values/without-undefined';
import { causeOf, type BusDriver } from '../network/driver.ts';
import { loadDriver } from '../network/load-driver.ts';
import { topicDigest } from '../network/topic-digest.ts';
import { StoreError } from '../store-error.ts';
import type { NatsAddress } from './address.ts';
import { MessageParts, partsOf } from './message-parts.ts';

/** How often the library checks that the server answers, in milliseconds. */
const PING_MS = 5_000;
/** The names of errors about the rights of the user. */
const DENIED = new Set(['AuthorizationError', 'PermissionViolationError', 'UserAuthenticationExpiredError']);

/** A connection to NATS. */
interface NatsClient {
  readonly connection: NatsConnection;
  readonly subscriptions: Map<string, Subscription>;
  /** Rejects what waits for an answer when the connection has ended, which the library does not. */
  readonly waiting: Set<(error: Error) => void>;
  receive: (channel: string, part: Uint8Array) => void;
}

/** Connections to NATS. A topic is a subject below the prefix. */
export class NatsDriver implements BusDriver<NatsClient> {
  readonly place: string;
  readonly #address: NatsAddress;

  constructor(address: NatsAddress) {
    this.place = address.place;
    this.#address = address;
  }

  async open(ms: number): Promise<NatsClient> {
    const { server, user, password, token, prefix } = this.#address;
    const { connect } = await loadDriver('@nats-io/transport-node', () => import('@nats-io/transport-node'));
    const connection = await connect({
      servers: server,
      ...withoutUndefined({ token, user, pass: password }),
      timeout: ms,
      pingInterval: PING_MS,
      // Whoever uses a connection opens the next one. The library would send messages that waited for too long.
      reconnect: false,
      ignoreClusterUpdates: true,
      noAsyncTraces: true,
    });
    const waiting = new Set<(error: Error) => void>();
    void connection.closed().then((error) => {
      for (const reject of waiting) reject(error ?? new Error('The connection is closed'));
    });
    const client = { connection, subscriptions: new Map<string, Subscription>(), waiting, receive: () => {} };
    try {
      await checkRights(connection, `${prefix}.check`, ms);
      return client;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  isOpen({ connection }: NatsClient): boolean {
    return !connection.isClosed();
  }

  disconnect({ connection }: NatsClient): void {
    void connection.close();
  }

  isTemporary(): boolean {
    return false;
  }

  isFinal(error: unknown): boolean {
    return error instanceof Error && DENIED.has(error.name);
  }

  explained(error: unknown): unknown {
    if (!this.isFinal(error)) return error;
    const { message } = error as Error;
    return new StoreError(
      'failed',
      `${this.place} refused the login in the address, or lacks rights for it: ${message}`,
      {
        cause: causeOf(error),
      },
    );
  }

  channelOf(topic: string): string {
    return `${this.#address.prefix}.${topicDigest(topic)}`;
  }

  async publish(client: NatsClient, channel: string, json: string): Promise<void> {
    const { connection } = client;
    for (const part of partsOf(json, connection.info?.max_payload ?? Infinity)) connection.publish(channel, part);
    await this.ping(client);
  }

  async subscribe(client: NatsClient, channels: readonly string[]): Promise<void> {
    for (const channel of channels) {
      const callback = (error: Error | null, { data }: { readonly data: Uint8Array }): void => {
        if (error === null) client.receive(channel, data);
      };
      client.subscriptions.set(channel, client.connection.subscribe(channel, { callback }));
    }
    await this.ping(client);
  }

  async unsubscribe({ subscriptions }: NatsClient, channel: string): Promise<void> {
    subscriptions.get(channel)?.unsubscribe();
    subscriptions.delete(channel);
  }

  listen(client: NatsClient, received: (channel: string, json: string) => void, ended: () => void): void {
    const parts = new MessageParts();
    client.receive = (channel, part) => {
      const json = parts.add(part);
      if (json !== undefined) received(channel, json);
    };
    void client.connection.closed().then(ended);
  }

  async ping({ connection, waiting }: NatsClient): Promise<void> {
    let reject: (error: Error) => void = () => {};
    const answered = new Promise<void>((resolve, rejected) => {
      reject = rejected;
      waiting.add(reject);
      connection.flush().then(resolve, reject);
    });
    await answered.finally(() => waiting.delete(reject));
  }
}

/** Sends a message to itself, because the server refuses a message that it does not permit without telling the sender in its answer. */
async function checkRights(connection: NatsConnection, subjects: string, ms: number): Promise<void> {
  const subject = `${subjects}.${randomUUID()}`;
  let timer: NodeJS.Timeout | undefined;
  const received = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
    void rejectOnError(connection, reject);
    connection.subscribe(subject, { max: 1, callback: (error) => (error === null ? resolve() : reject(error)) });
    connection.publish(subject);
  });
  await received.finally(() => clearTimeout(timer));
}

async function rejectOnError(connection: NatsConnection, reject: (error: Error) => void): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'error') reject(status.error);
}
