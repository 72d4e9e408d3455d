import type { Redis } from 'ioredis';
import { noRoomError, type Room } from '@tenon/values/room';
import type { LogPart } from 'tenon/http';
import type { EngineStore } from '../engine.ts';
import { endOfPrefix, keyBytes, keyOf } from '../key-bytes.ts';
import { type AfterLoss, Connection } from '../network/connection.ts';
import type { EngineOptions } from '../options.ts';
import { StoreError } from '../store-error.ts';
import type { RedisAddress } from './address.ts';
import { isReply, isTemporary } from './failures.ts';
import { RedisDriver } from './redis-driver.ts';
import { type Argument, evaluate, rootOf } from './evaluate.ts';
import { LAYOUT_VERSION, type Script, SCRIPTS } from './scripts.ts';

/** The maximum number of keys that one script looks at. */
const PAGE = 1_000;

/**
 * A store in Redis. Each method is one script, so it is atomic, except `keys`, which runs one for every page. Expiry uses the clock of
 * Redis. If the answer to a method is lost, `get`, `set`, `delete`, `keys` and `read` are run again, because that changes nothing more; the
 * other ones reject.
 */
export class RedisStore implements EngineStore {
  readonly #address: RedisAddress;
  readonly #options: EngineOptions;
  readonly #connection: Connection<Redis>;
  readonly #root: string;

  constructor(address: RedisAddress, options: EngineOptions) {
    this.#address = address;
    this.#options = options;
    this.#root = rootOf(address);
    this.#connection = new Connection(new RedisDriver(address, (client) => this.#prepare(client)), options.busyMs);
  }

  /** Connects for the first time. */
  async open(): Promise<void> {
    await this.#connection.run((client) => client.ping(), 'run-again');
  }

  async get(key: string): Promise<unknown> {
    const json = (await this.#run(SCRIPTS.get, 'run-again', bytesOf(key))) as Buffer | null;
    return json === null ? undefined : JSON.parse(json.toString());
  }

  async set(key: string, value: unknown, lifeMs: number): Promise<void> {
    const room = await this.#run(SCRIPTS.set, 'run-again', ...this.#entry(key, jsonOf(value), lifeMs));
    this.#checkRoom(String(room) as Room);
  }

  async add(key: string, value: unknown, lifeMs: number, owner?: string): Promise<boolean> {
    const of = owner === undefined ? ['a', ''] : ['o', bytesOf(owner)];
    const room = String(await this.#run(SCRIPTS.add, 'reject', ...this.#entry(key, jsonOf(value), lifeMs), ...of));
    if (room === 'taken') return false;
    this.#checkRoom(room as Room);
    return true;
  }

  async swap(key: string, before: unknown, after: unknown, lifeMs: number): Promise<boolean> {
    const expected = JSON.stringify(before);
    if (expected === undefined) return false;
    const room = String(await this.#run(SCRIPTS.swap, 'reject', ...this.#entry(key, jsonOf(after), lifeMs), expected));
    if (room === 'different') return false;
    this.#checkRoom(room as Room);
    return true;
  }

  async keys(prefix: string, after: string | undefined, limit: number): Promise<readonly string[]> {
    const most = Math.max(Math.trunc(limit), 0);
    const end = bound('(', endOfPrefix(prefix));
    const found: string[] = [];
    let from = after === undefined || after < prefix ? bound('[', bytesOf(prefix)) : bound('(', bytesOf(after));
    while (found.length < most) {
      const page = await this.#run(SCRIPTS.keys, 'run-again', from, end, Math.min(most - found.length, PAGE));
      const [keys, last] = page as readonly [readonly Buffer[], Buffer | null];
      for (const key of keys) found.push(keyOf(key));
      if (last === null) break;
      from = bound('(', last);
    }
    return found;
  }

  async delete(key: string): Promise<void> {
    await this.#run(SCRIPTS.remove, 'run-again', bytesOf(key));
  }

  async append(key: string, value: unknown, lifeMs: number): Promise<number> {
    const json = jsonOf(value);
    const args = [bytesOf(key), json, json.length, lifeOf(lifeMs), ...this.#limits()];
    return (await this.#run(SCRIPTS.append, 'reject', ...args, this.#options.maxLogCharacters, key.length)) as number;
  }

  async read(key: string, after: number): Promise<LogPart | undefined> {
    const part = await this.#run(SCRIPTS.read, 'run-again', bytesOf(key), after);
    if (part === null) return undefined;
    const [gone, values] = part as readonly [number, readonly Buffer[]];
    return { first: Math.max(after, gone) + 1, values: values.map((value): unknown => logValueOf(value.toString())) };
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The arguments of a script that stores a value. */
  #entry(key: string, json: string, lifeMs: number): readonly Argument[] {
    return [bytesOf(key), json, key.length + json.length, lifeOf(lifeMs), ...this.#limits()];
  }

  #limits(): readonly Argument[] {
    return [this.#options.maxEntries, this.#options.maxCharacters];
  }

  #run(script: Script, afterLoss: AfterLoss, ...args: readonly Argument[]): Promise<unknown> {
    const characters = args.reduce<number>((sum, arg) => sum + (typeof arg === 'number' ? 0 : arg.length), 0);
    return this.#connection.run((client) => this.#evaluate(client, script, args), afterLoss, characters);
  }

  #evaluate(client: Redis, script: Script, args: readonly Argument[]): Promise<unknown> {
    return evaluate(client, script, [this.#root, this.#options.now?.() ?? '', ...args]);
  }

  #checkRoom(room: Room): void {
    if (room !== 'enough') throw noRoomError(room, `the store in ${this.#address.place}`);
  }

  /** Checks that this Redis can keep a store. */
  async #prepare(client: Redis): Promise<void> {
    const { place } = this.#address;
    const version = (await this.#evaluate(client, SCRIPTS.begin, [LAYOUT_VERSION])) as number;
    if (version > LAYOUT_VERSION)
      throw new StoreError(
        'newer-store',
        `The store in ${place} was written by a newer version of @tenon/store: update the package`,
      );
    const policy = await policyOf(client);
    if (policy !== undefined && policy !== 'noeviction')
      throw new StoreError(
        'failed',
        `${place} may remove values that have to stay, because its maxmemory-policy is ${policy}. ` +
          `Set it to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction, and in redis.conf`,
      );
  }
}

/** What Redis does without memory; undefined if its user may not ask. */
async function policyOf(client: Redis): Promise<string | undefined> {
  try {
    return /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1];
  } catch (error) {
    if (isReply(error) && !isTemporary(error)) return undefined;
    throw error;
  }
}

/** A key as bytes. */
function bytesOf(key: string): Buffer {
  const { buffer, byteOffset, length } = keyBytes(key);
  return Buffer.from(buffer, byteOffset, length);
}

/** A limit of a range of keys: `[` includes the key, `(` excludes it. */
function bound(kind: '[' | '(', key: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(kind), key]);
}

/** A value as JSON. Values that JSON cannot represent become null. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** In a log, a value follows its length and a space. */
function logValueOf(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf(' ') + 1));
}

/** Redis would stop in the middle of a script. */
function lifeOf(lifeMs: number): number {
  if (Number.isNaN(lifeMs)) throw new TypeError('The lifetime of a value must be a number of milliseconds');
  return lifeMs;
}
