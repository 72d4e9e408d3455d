import type { Redis } from 'ioredis';
import type { RedisAddress } from './address.ts';
import { isReply } from './failures.ts';
import type { Script } from './scripts.ts';

/** The driver writes other arrays of bytes as text. */
export type Argument = string | number | Buffer;

/** What all keys of a store begin with. A cluster keeps keys with the same text in braces on one node. */
export function rootOf({ prefix }: RedisAddress): string {
  return `{${prefix}}`;
}

/** Runs a script, whose text is sent only if Redis does not know it. `args`: the root, the time, and its own arguments. */
export async function evaluate(client: Redis, { text, digest }: Script, args: readonly Argument[]): Promise<unknown> {
  try {
    return await client.callBuffer('EVALSHA', digest, 1, ...args);
  } catch (error) {
    if (!isReply(error) || !error.message.startsWith('NOSCRIPT ')) throw error;
    return client.callBuffer('EVAL', text, 1, ...args);
  }
}
