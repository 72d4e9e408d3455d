import type { Redis } from 'ioredis';
import type { BusDriver } from '../network/driver.ts';
import { topicDigest } from '../network/topic-digest.ts';
import type { RedisAddress } from './address.ts';
import { explained, isReply, isTemporary } from './failures.ts';
import { endClient, openClient } from './open-client.ts';

/** Connections to Redis. One that receives messages takes no other commands than those of `BusDriver`. */
export class RedisDriver implements BusDriver<Redis> {
  readonly place: string;
  readonly isTemporary = isTemporary;
  readonly #address: RedisAddress;
  readonly #prepare: (client: Redis) => Promise<unknown>;

  /** `prepare`: what has to succeed on every new connection. */
  constructor(address: RedisAddress, prepare: (client: Redis) => Promise<unknown>) {
    this.place = address.place;
    this.#address = address;
    this.#prepare = prepare;
  }

  open(ms: number): Promise<Redis> {
    return openClient(this.#address, ms, this.#prepare);
  }

  isOpen(client: Redis): boolean {
    return client.status === 'ready' && client.stream.writable;
  }

  disconnect(client: Redis): void {
    if (this.isOpen(client)) endClient(client);
  }

  isFinal(error: unknown): boolean {
    return isReply(error) && !isTemporary(error);
  }

  explained(error: unknown): unknown {
    return explained(error, this.#address);
  }

  channelOf(topic: string): string {
    return `${this.#address.prefix}:${topicDigest(topic)}`;
  }

  publish(client: Redis, channel: string, json: string): Promise<unknown> {
    return client.publish(channel, json);
  }

  subscribe(client: Redis, channels: readonly string[]): Promise<unknown> {
    return client.subscribe(...channels);
  }

  unsubscribe(client: Redis, channel: string): Promise<unknown> {
    return client.unsubscribe(channel);
  }

  listen(client: Redis, received: (channel: string, json: string) => void, ended: () => void): void {
    // A program that only waits for messages goes on.
    client.stream.ref();
    client.on('message', received);
    client.once('end', ended);
  }

  ping(client: Redis): Promise<unknown> {
    return client.ping();
  }
}
