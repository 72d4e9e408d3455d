import type { Redis } from 'ioredis';
import { ToolError } from 'tenon';

/** The address that the original server uses as well. */
export const DEFAULT_ADDRESS = 'redis://localhost:6379';

const CONNECT_MS = 5_000;
const COMMAND_MS = 10_000;

/** A connection to Redis, made at first use. After a loss, the next use makes a new one. */
export class RedisConnection {
  readonly #address: string;
  /** Host and port for messages: the address may contain a password. */
  readonly #place: string;
  #current: Promise<Redis> | undefined;

  /** Throws an `Error` for an address that cannot be used. */
  constructor(address: string) {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (
      url === undefined ||
      !/^rediss?:$/.test(url.protocol) ||
      url.hostname === '' ||
      !/^(\/\d*)?$/.test(url.pathname)
    )
      throw new Error('The address of Redis has the form redis://user:password@host:6379/0, or rediss:// with TLS');
    this.#address = address;
    this.#place = `${url.hostname}:${url.port === '' ? 6379 : url.port}`;
  }

  /** Does something with the connection. Throws a `ToolError` that says why it failed. */
  async use<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = await this.#connected();
    try {
      return await work(redis);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async #connected(): Promise<Redis> {
    const opened = (this.#current ??= this.#open());
    const redis = await opened;
    // The end of the socket is known before the client reports it.
    if (redis.status === 'ready' && redis.stream.writable) return redis;
    if (this.#current === opened) this.#current = undefined;
    return (this.#current ??= this.#open());
  }

  async #open(): Promise<Redis> {
    const { Redis: Client } = await import('ioredis');
    const redis = new Client(this.#address, {
      lazyConnect: true,
      // Redis before version 6 has no other, nor do some proxies.
      protocol: 2,
      connectTimeout: CONNECT_MS,
      commandTimeout: COMMAND_MS,
      // A command that was sent is not sent again, since it may have had its effect.
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      retryStrategy: null,
      disableClientInfo: true,
    });
    let cause: unknown;
    redis.on('error', (error: unknown) => (cause = error));
    try {
      await redis.connect();
      return redis;
    } catch (error) {
      this.#current = undefined;
      redis.disconnect();
      throw this.#explain(cause ?? error);
    }
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof ToolError) return error;
    const { message, name } = error;
    const options = { cause: error };
    if (/^(?:WRONGPASS|NOAUTH)\b|^ERR (?:Client sent AUTH|invalid password)/.test(message))
      return new ToolError(`Redis at ${this.#place} refused the user or password in its address: ${message}`, options);
    if (name === 'ReplyError') return new ToolError(`Redis refused this: ${message}`, options);
    if (message === 'Command timed out')
      return new ToolError(`Redis at ${this.#place} did not answer within ${COMMAND_MS / 1_000} seconds`, options);
    return new ToolError(`Redis at ${this.#place} cannot be reached: ${message}`, options);
  }
}
