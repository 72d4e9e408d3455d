import type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
} from '../protocol/content.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import type { Meta } from '../protocol/meta.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';
import { toBase64 } from '../store/base64.ts';

/** Options that every content block has besides its data. */
export interface BlockOptions {
  /** Hints for the client about the block. */
  annotations?: Annotations;
  /** Metadata of the block. */
  _meta?: Meta;
}

/** Options for the contents of a resource. */
export interface ContentsOptions {
  /** The media type, such as `text/markdown`. */
  readonly mimeType?: string | undefined;
}

/**
 * A text block. A handler may return a plain string in its place; `text` is for options and for several blocks.
 *
 * @example
 * ```ts
 * import { text, tool } from 'tenon';
 *
 * const report = tool({}, () => [text('3 rows'), text('Internal: the cache was used', { annotations: { audience: ['assistant'] } })]);
 * ```
 */
export function text(value: string, options: BlockOptions = {}): TextContent {
  return {
    type: 'text',
    text: value,
    ...options,
  };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;

/**
 * The members of an image or audio block. Throws a `TypeError` for a string that is not base64, and for an invalid media type (RFC 6838).
 */
function media(data: Uint8Array | string, mimeType: string): { data: string; mimeType: string } {
  if (typeof data === 'string' && (data.length % 4 !== 0 || !BASE64.test(data)))
    throw new TypeError('Image or audio data must be bytes or a base64 string');
  if (!MIME_TYPE.test(mimeType)) throw new TypeError(`'${shown(mimeType)}' is not a media type like "image/png"`);
  return { data: toBase64(data), mimeType };
}

/**
 * An image block. Bytes are encoded; a string is taken as base64 already. Throws a `TypeError` for a string that is not base64, and for an
 * invalid media type.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { image, tool } from 'tenon';
 *
 * const screenshot = tool({}, async () => image(await readFile('screen.png'), 'image/png'));
 * ```
 */
export function image(data: Uint8Array | string, mimeType: string, options: BlockOptions = {}): ImageContent {
  return {
    type: 'image',
    ...media(data, mimeType),
    ...options,
  };
}

/**
 * An audio block. Bytes are encoded; a string is taken as base64 already. A client whose revision has no audio (2024-11-05) receives it as
 * an embedded resource. Throws a `TypeError` for a string that is not base64, and for an invalid media type.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { audio, tool } from 'tenon';
 *
 * const recording = tool({}, async () => audio(await readFile('call.wav'), 'audio/wav'));
 * ```
 */
export function audio(data: Uint8Array | string, mimeType: string, options: BlockOptions = {}): AudioContent {
  return {
    type: 'audio',
    ...media(data, mimeType),
    ...options,
  };
}

/**
 * A link to a resource that the client may read later. The resource need not be in the resource list. A client whose revision has no links
 * (before 2025-06-18) receives text.
 *
 * @example
 * ```ts
 * import { link, tool } from 'tenon';
 *
 * const save = tool({}, () => link('file:///reports/2026.csv', '2026.csv', { mimeType: 'text/csv', size: 18_304 }));
 * ```
 */
export function link(
  uri: string,
  name: string,
  options: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink {
  return {
    type: 'resource_link',
    uri,
    name,
    ...options,
  };
}

/**
 * A resource embedded in the result. A string becomes `text`; bytes become a base64 `blob`.
 *
 * @example
 * ```ts
 * import { embed, tool } from 'tenon';
 *
 * const show = tool({}, () => embed('note:///1', '# Shopping', { mimeType: 'text/markdown' }));
 * ```
 */
export function embed(
  uri: string,
  content: string | Uint8Array,
  { mimeType, ...options }: BlockOptions & ContentsOptions = {},
): EmbeddedResource {
  return { type: 'resource', resource: contents(uri, content, { mimeType }), ...options };
}

/**
 * One item of a read result, for resources of several parts. A string is text; bytes become a base64 `blob`.
 *
 * @example
 * ```ts
 * import { contents, resource } from 'tenon';
 *
 * const folder = resource({ name: 'notes' }, () => [
 *   contents('note:///1', '# Shopping', { mimeType: 'text/markdown' }),
 *   contents('note:///2', '# Travel', { mimeType: 'text/markdown' }),
 * ]);
 * ```
 */
export function contents(
  uri: string,
  content: string | Uint8Array,
  { mimeType }: ContentsOptions = {},
): ResourceContents {
  const data = typeof content === 'string' ? { text: content } : { blob: toBase64(content) };
  return withoutUndefined({ uri, mimeType, ...data });
}

const REPLY = Symbol.for('tenon.reply');

/** A whole tool result, for handlers that set more than a value: `_meta`, blocks beside structured content, `isError`. */
export interface Reply<Output = unknown> {
  readonly [REPLY]: true;
  /** The result. Without `content`, the text of a checked `structuredContent` takes its place. */
  readonly result: Partial<CallToolResult> & {
    /** The value. It is checked against the output schema of the tool, which makes it required unless `isError` is true. */
    structuredContent?: Output;
  };
}

/**
 * Builds a whole tool result, where a handler sets more than a value: `_meta`, `isError`, or blocks beside `structuredContent`.
 *
 * @example
 * ```ts
 * import { reply, text, tool } from 'tenon';
 *
 * const count = tool({}, () => reply({ content: [text('3 rows')], _meta: { 'com.example/source': 'cache' } }));
 * ```
 */
export function reply<Output = undefined>(
  result: Partial<CallToolResult> & { structuredContent?: Output },
): Reply<Output> {
  return {
    [REPLY]: true,
    result,
  };
}

/** Was this made by `reply`? */
export function isReply(value: unknown): value is Reply {
  return isObject(value) && (value as unknown as Record<symbol, unknown>)[REPLY] === true;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Is this an item of a read result? */
export function isContents(value: unknown): value is ResourceContents {
  return isObject(value) && isText(value['uri']) && (isText(value['text']) || isText(value['blob']));
}

/** Is this a content block, with all members that its type requires? */
export function isContent(value: unknown): value is Content {
  if (!isObject(value)) return false;
  switch (value['type']) {
    case 'text':
      return isText(value['text']);
    case 'image':
    case 'audio':
      return isText(value['data']) && isText(value['mimeType']);
    case 'resource':
      return isContents(value['resource']);
    case 'resource_link':
      return isText(value['uri']) && isText(value['name']);
    default:
      return false;
  }
}
