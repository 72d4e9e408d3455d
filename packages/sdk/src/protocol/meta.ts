import { isObject, type JsonObject } from './jsonrpc.ts';

/** The `_meta` keys that MCP defines. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The `_meta` keys of this package: for information that two Tenon peers exchange where a revision has no place for it. */
export const TENON = {
  /** On an input request: the name of the question. */
  question: 'dev.tenon/question',
  /** On the result of a tool: where its structured value is (`OutputMark`). */
  output: 'dev.tenon/output',
} as const;

/**
 * Where the structured value of a tool is if a revision cannot carry it as it is. `wrapped`: in the member `result` of the structured
 * content. `text`: the last text block is its JSON. An object contains it.
 */
export type OutputMark = 'wrapped' | 'text' | { readonly value: unknown };

/** Metadata attached to a message, a result, an entity or a content block. */
export interface Meta {
  [key: string]: unknown;
}

/** Key under which a request opts in to progress. */
export const PROGRESS_TOKEN = 'progressToken';

/** The `_meta` of params or of a result; an empty object if there is none. */
export function metaOf(params: JsonObject | undefined): Meta {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : NO_META;
}

const NO_META: Meta = Object.freeze({});

/** The params with this `_meta`. Node 20 is ten times slower at it if the prototype of the copy is not named. */
export function withMeta(params: JsonObject | undefined, meta: Meta): JsonObject {
  return { __proto__: Object.prototype, ...params, _meta: meta };
}

const LABEL = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;
const NAME = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)?$/i;
const RESERVED = new Set(['mcp', 'modelcontextprotocol']);

/** Why `key` may not be used as a custom `_meta` key, or undefined. See "_meta" of the base protocol. */
export function metaKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  if (labels.some((label) => !LABEL.test(label)))
    return `'${key}': each label of the prefix starts with a letter and ends with a letter or digit`;
  if (!NAME.test(key.slice(slash + 1))) return `'${key}': the name starts and ends with a letter or digit`;
  if ([labels[1], labels.at(-2)].some((label) => RESERVED.has(label?.toLowerCase() ?? ''))) {
    return `'${key}': this prefix is reserved for the Model Context Protocol`;
  }
  return undefined;
}
