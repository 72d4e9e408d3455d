// Messages as clients of each revision send them. Independent of the SDK, so that the inputs do not change with it.
import type { Revision } from 'tenon';

/* oxlint-disable typescript/no-explicit-any -- messages are looked into as they come */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, any>;
  readonly result?: Record<string, any>;
  readonly error?: Record<string, any>;
}
/* oxlint-enable typescript/no-explicit-any */

export const MODERN: Revision = '2026-07-28';

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  info: 'io.modelcontextprotocol/clientInfo',
  level: 'io.modelcontextprotocol/logLevel',
} as const;

/** All client capabilities. */
export const ABLE = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
};

/** The params for a revision; a modern request describes its sender in `_meta`. */
export function paramsIn(
  revision: Revision,
  params: object | undefined,
  meta: object = {},
  capabilities: object = ABLE,
): object | undefined {
  if (revision === MODERN)
    return { ...params, _meta: { [META.version]: MODERN, [META.capabilities]: capabilities, ...meta } };
  if (Object.keys(meta).length === 0) return params;
  return { ...params, _meta: meta };
}

/** The messages in a text: those of a batch, or a single one; empty if it is not JSON. */
export function messagesIn(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text) as unknown].flat();
  } catch {
    return [];
  }
}

/** Whether it is a request, which must be answered with its id. */
export function isRequest(value: unknown): value is Message & { readonly id: string | number } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, method } = value as Message;
  return (typeof id === 'string' || typeof id === 'number') && typeof method === 'string';
}

/** Whether it is a response: a result or an error. */
export function isAnswer(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && ('result' in value || 'error' in value);
}

/** Headers to send; several values become several fields of the same name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** The header value for a text: in Base64 unless it is plain ASCII. */
function headerValue(text: string): string {
  return /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The headers with which a client of this revision posts a text. */
export function headersFor(text: string, revision: Revision): Headers {
  const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const message = messagesIn(text)[0];
  const { method, params } = (typeof message === 'object' && message !== null ? message : {}) as Message;
  if (revision !== MODERN)
    return method === 'initialize' || revision < '2025-06-18'
      ? common
      : { ...common, 'mcp-protocol-version': revision };
  const asks = typeof message === 'object' && message !== null && 'id' in message;
  if (!asks || typeof method !== 'string' || method === '') return { ...common, 'mcp-protocol-version': revision };
  const source = NAMED.get(method);
  const name: unknown = source === undefined ? undefined : params?.[source];
  const headers = { ...common, 'mcp-protocol-version': revision, 'mcp-method': headerValue(method) };
  return typeof name === 'string' && name !== '' ? { ...headers, 'mcp-name': headerValue(name) } : headers;
}
