import { isWellFormed } from '@tenon/values/utf8';
import { type CallContext, reply, resource, type Server, server, tool, ToolError } from 'tenon';
import { z } from 'zod';
import type { RedisConnection } from './connection.ts';
import { findKeys, MAX_KEY_BYTES, startingWith } from './keys.ts';
import { MAX_PART, readPart, type StoredPart } from './values.ts';
import { icon } from '../../shared/icon.ts';

const ICON = icon('#c92a2a', '<circle cx="8.5" cy="12" r="3"/><path d="M11.5 12H19v3M16 12v2"/>');

export interface RedisOptions {
  /** Offer no tool that changes anything. Default: false. */
  readonly readOnly?: boolean;
  /** Ask the user before keys are deleted, where the client can. Default: true. */
  readonly confirm?: boolean;
}

const MAX_VALUE_LENGTH = 16 * 1024 * 1024;
const MAX_DELETED = 1_000;
const MAX_COMPLETIONS = 100;

const written = z.string().refine(isWellFormed, 'It contains half of a surrogate pair, which is not a character');
const key = written.refine(
  (text) => Buffer.byteLength(text) <= MAX_KEY_BYTES,
  `A key has at most ${MAX_KEY_BYTES} bytes here`,
);

/** The text of a result in the format of the original server, and the same as structured content. */
function shown<T extends object>(text: string, structuredContent: T) {
  return reply({ content: [{ type: 'text', text }], structuredContent });
}

function readingTools(connection: RedisConnection) {
  return {
    get: tool(
      {
        title: 'Get a value',
        description: 'Get value by key from Redis. Long values are returned in parts.',
        input: z.object({
          key: key.describe('Redis key to retrieve'),
          start: z
            .int()
            .min(0)
            .default(0)
            .describe('The first byte to return, if an earlier result said where the next part begins'),
        }),
        output: z.object({
          found: z.boolean(),
          value: z.string().optional().describe('The value, or a part of it'),
          base64: z.string().optional().describe('The same in base64, if it is not UTF-8'),
          length: z.int().optional().describe('The size of the whole value, in bytes'),
          next: z.int().optional().describe('Where the next part begins, in bytes'),
        }),
        readOnly: true,
        openWorld: false,
      },
      async ({ key: name, start }) => {
        const part = await connection.use((redis) => readPart(redis, name, start));
        if (part === undefined) return shown(`Key not found: ${name}`, { found: false });
        const { text, bytes, length, next } = part;
        const data = text === undefined ? { base64: bytes.toString('base64') } : { value: text };
        return shown(textOfPart(part), { found: true, ...data, length, next });
      },
    ),
    list: tool(
      {
        title: 'List keys',
        description: 'List Redis keys matching a pattern',
        input: z.object({
          pattern: written.max(MAX_KEY_BYTES).default('*').describe('Pattern to match keys (default: *)'),
          cursor: z
            .string()
            .regex(/^\d{1,20}$/, 'It is the number in an earlier result')
            .optional()
            .describe('Continues a search that did not examine all keys'),
        }),
        output: z.object({
          keys: z.array(z.string()),
          omitted: z.int().describe('Keys that are too long, or not UTF-8'),
          cursor: z.string().optional().describe('There: not all keys were examined'),
        }),
        readOnly: true,
        openWorld: false,
      },
      async ({ pattern, cursor }, ctx) => {
        const onFound = (count: number) => ctx.progress({ progress: count, message: `${count} keys` });
        const search = { pattern, cursor, signal: ctx.signal, onFound };
        const found = await connection.use((redis) => findKeys(redis, search));
        const { keys, omitted } = found;
        const lines = keys.length === 0 ? 'No keys found matching pattern' : `Found keys:\n${keys.join('\n')}`;
        const notes = [
          omitted === 0 ? '' : `\n(${omitted} keys are not shown: they are too long, or not UTF-8)`,
          found.cursor === undefined
            ? ''
            : `\n(Not all keys were examined. To continue, call list again with cursor: "${found.cursor}")`,
        ];
        return shown(`${lines}${notes.join('')}`, { keys, omitted, cursor: found.cursor });
      },
    ),
  };
}

/** The text of a part, and a note if the value goes on or is not text. */
function textOfPart({ text, bytes, length, next }: StoredPart): string {
  const value = text ?? `(${bytes.length} bytes that are not UTF-8, in base64) ${bytes.toString('base64')}`;
  if (next === undefined) return value;
  return `${value}\n(The value has ${length} bytes. To continue, call get again with start: ${next})`;
}

const DONE = z.object({ success: z.boolean(), message: z.string() });

function done(message: string) {
  return shown(message, { success: true, message });
}

function changingTools(connection: RedisConnection, confirm: boolean) {
  return {
    set: tool(
      {
        title: 'Set a value',
        description: 'Set a Redis key-value pair with optional expiration. An existing value is replaced.',
        input: z.object({
          key: key.describe('Redis key'),
          value: written.max(MAX_VALUE_LENGTH).describe('Value to store'),
          expireSeconds: z.int().min(1).max(10_000_000_000).optional().describe('Optional expiration time in seconds'),
        }),
        output: DONE,
        destructive: true,
        idempotent: true,
        openWorld: false,
      },
      async ({ key: name, value, expireSeconds }) => {
        await connection.use(async (redis) => {
          const type = await redis.type(name);
          // Otherwise the whole list, hash or set would be lost.
          if (type !== 'none' && type !== 'string')
            throw new ToolError(`The key ${name} holds a ${type}, which set does not replace: delete it first`);
          await (expireSeconds === undefined ? redis.set(name, value) : redis.set(name, value, 'EX', expireSeconds));
        });
        return done(`Successfully set key: ${name}`);
      },
    ),
    delete: tool(
      {
        title: 'Delete keys',
        description: 'Delete one or more keys from Redis',
        input: z.object({
          key: z.union([key, z.array(key).min(1).max(MAX_DELETED)]).describe('Key or array of keys to delete'),
        }),
        output: DONE.extend({ deleted: z.int().describe('How many of the keys existed') }),
        destructive: true,
        idempotent: true,
        openWorld: false,
      },
      async ({ key: given }, ctx) => {
        const names = [...new Set(Array.isArray(given) ? given : [given])];
        if (confirm) await confirmDeletion(connection, names, ctx);
        const deleted = await connection.use((redis) => redis.del(names));
        const message = Array.isArray(given)
          ? `Successfully deleted ${deleted} keys${deleted === names.length ? '' : ` (${names.length - deleted} not found)`}`
          : deleted === 0
            ? `Key not found: ${given}`
            : `Successfully deleted key: ${given}`;
        return shown(message, { success: true, message, deleted });
      },
    ),
  };
}

/** Asks the user if any of the keys exists, and the client can ask. Throws if the user declines. */
async function confirmDeletion(connection: RedisConnection, names: readonly string[], ctx: CallContext): Promise<void> {
  if (!ctx.client.can('elicitation')) return;
  const count = await connection.use((redis) => redis.exists(...names));
  if (count === 0) return;
  const what = names.length === 1 ? `the key '${names[0]}'` : `${count} keys, named like '${names[0]}',`;
  const sure = z.object({ delete: z.boolean().default(true).describe('Delete?') });
  const answer = await ctx.ask('delete', `Delete ${what} from Redis?`, sure);
  if (!answer.delete) throw new ToolError('Nothing was deleted: the user declined');
}

/** Makes the server. */
export function createRedis(
  connection: RedisConnection,
  { readOnly = false, confirm = true }: RedisOptions = {},
): Server {
  return server({
    name: 'redis',
    version: '0.1.0',
    icons: [ICON],
    title: 'Redis',
    tools: { ...readingTools(connection), ...(readOnly ? {} : changingTools(connection, confirm)) },
    resources: {
      'redis:///{key}': resource(
        {
          name: 'value',
          title: 'A value',
          description: 'The value of a key that holds a string',
          cache: { scope: 'private' },
          complete: {
            key: (typed, { signal }) =>
              connection.use(async (redis) => {
                const search = { pattern: startingWith(typed), signal, most: MAX_COMPLETIONS };
                return (await findKeys(redis, search)).keys.slice(0, MAX_COMPLETIONS);
              }),
          },
        },
        async ({ key: name }) => {
          const part = await connection.use((redis) => readPart(redis, name, 0));
          if (part?.next !== undefined)
            throw new ToolError(`The value has ${part.length} bytes, more than ${MAX_PART}: read it in parts with get`);
          return part?.text ?? part?.bytes;
        },
      ),
    },
  });
}
