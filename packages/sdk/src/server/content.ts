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
import { toBase64 } from '../store/base64.ts';

/** What every content block may carry besides its data. */
export interface BlockOptions {
  annotations?: Annotations;
  _meta?: Meta;
}

/** What may be said of the contents of a resource. */
export interface ContentsOptions {
  /** The media type, such as `text/markdown`. */
  readonly mimeType?: string | undefined;
}

/** A text block. */
export const text = (value: string, options: BlockOptions = {}): TextContent => ({
  type: 'text',
  text: value,
  ...options,
});

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIME_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/;

/** The members of an image or a sound. Throws a `TypeError` for a string that is no base64, and for what is no media type (RFC 6838). */
const media = (data: Uint8Array | string, mimeType: string): { data: string; mimeType: string } => {
  if (typeof data === 'string' && (data.length % 4 !== 0 || !BASE64.test(data)))
    throw new TypeError('A string of image or audio data has to be base64; bytes are encoded for you');
  if (!MIME_TYPE.test(mimeType)) throw new TypeError(`'${shown(mimeType)}' is no media type, as in "image/png"`);
  return { data: toBase64(data), mimeType };
};

/** An image block. Bytes are encoded; a string is taken as base64 already. */
export const image = (data: Uint8Array | string, mimeType: string, options: BlockOptions = {}): ImageContent => ({
  type: 'image',
  ...media(data, mimeType),
  ...options,
});

/** A sound block. Bytes are encoded; a string is taken as base64 already. A client that knows no audio receives it as an embedded resource. */
export const audio = (data: Uint8Array | string, mimeType: string, options: BlockOptions = {}): AudioContent => ({
  type: 'audio',
  ...media(data, mimeType),
  ...options,
});

/** A pointer to a resource the client may read later. It need not appear in the resource list. */
export const link = (
  uri: string,
  name: string,
  options: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {},
): ResourceLink => ({
  type: 'resource_link',
  uri,
  name,
  ...options,
});

/** A resource inside the result. A string is text; bytes become a base64 `blob`. */
export const embed = (
  uri: string,
  content: string | Uint8Array,
  { mimeType, ...options }: BlockOptions & ContentsOptions = {},
): EmbeddedResource => ({ type: 'resource', resource: contents(uri, content, { mimeType }), ...options });

/** One item of a read result. A string is text; bytes become a base64 `blob`. */
export const contents = (
  uri: string,
  content: string | Uint8Array,
  { mimeType }: ContentsOptions = {},
): ResourceContents => ({
  uri,
  ...(mimeType === undefined ? {} : { mimeType }),
  ...(typeof content === 'string' ? { text: content } : { blob: toBase64(content) }),
});

const REPLY = Symbol.for('tenon.reply');

/** A whole tool result, for a handler that sets more than a value: `_meta`, blocks beside structured content, `isError`. */
export interface Reply<Output = unknown> {
  readonly [REPLY]: true;
  readonly result: Partial<CallToolResult> & { structuredContent?: Output };
}

/**
 * Builds a whole tool result.
 *
 * @example
 * ```ts
 * return reply({ content: [text('3 rows')], structuredContent: rows, _meta: { 'com.example/source': 'cache' } });
 * ```
 */
export const reply = <Output = undefined>(
  result: Partial<CallToolResult> & { structuredContent?: Output },
): Reply<Output> => ({
  [REPLY]: true,
  result,
});

/** Was this made by `reply`? */
export const isReply = (value: unknown): value is Reply =>
  isObject(value) && (value as unknown as Record<symbol, unknown>)[REPLY] === true;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Is this an item of a read result? */
export const isContents = (value: unknown): value is ResourceContents =>
  isObject(value) && isText(value['uri']) && (isText(value['text']) || isText(value['blob']));

/** Is this a content block, with all that its type has to have? */
export const isContent = (value: unknown): value is Content => {
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
};
