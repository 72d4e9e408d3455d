import type { JsonObject, RequestId } from '../protocol/jsonrpc.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { decodeUtf8 } from './utf8.ts';

/** The HTTP header fields of MCP, in lower case: names are case-insensitive (RFC 9110, section 5.1). */
export const HEADER = {
  version: 'mcp-protocol-version',
  method: 'mcp-method',
  name: 'mcp-name',
  session: 'mcp-session-id',
  lastEventId: 'last-event-id',
} as const;

/**
 * Returns the value of a header, by its name in lower case; null or undefined if the request has none. Several values are joined with
 * commas.
 */
export type HeaderLookup = (name: string) => string | null | undefined;

/** The prefix of headers that repeat an argument of a tool call. */
export const PARAM_PREFIX = 'mcp-param-';

/** Header fields that a request may have only once: of two, a proxy may act on one and the server on the other. */
const SINGLE: ReadonlySet<string> = new Set([
  ...['host', 'origin', 'authorization', 'dpop', 'content-type', 'content-length'],
  ...Object.values(HEADER),
]);

/**
 * The name of a single-valued field that was sent more than once. `raw`: names and values in turn, as they were received (`rawHeaders` of
 * `node:http`).
 */
export function findRepeated(raw: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    if (!SINGLE.has(name) && !name.startsWith(PARAM_PREFIX)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Schemes whose credentials are one token (RFC 6750, RFC 7617, RFC 9449). Other schemes have parameters with commas between them. */
const JOINED_TOKENS = /^(?:bearer|basic|dpop)[ \t][^,]*,/i;

/**
 * The same where values have already been joined with commas, as the web's `Headers` does. Only credentials need this check: any other
 * single-valued field with a comma has a value that the server does not know.
 */
export function findJoined(header: HeaderLookup): string | undefined {
  return JOINED_TOKENS.test(header('authorization') ?? '') ? 'authorization' : undefined;
}

/** Header fields as they are enumerated: Node gives a list of values for fields that may occur several times. */
export type AllFields = Iterable<readonly [name: string, value: string | number | readonly string[] | undefined]>;

/** The parts of a message that headers repeat. */
export interface MirroredMessage {
  readonly id?: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** The parameter that `Mcp-Name` repeats, by method. */
export const NAME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** The revision of a request that names none, if nothing else determines it (2025-11-25, Transports, "Protocol Version Header"). */
export const ASSUMED_REVISION: Revision = '2025-03-26';

const NAMED_BY_HEADER: ReadonlySet<Revision> = new Set<Revision>(['2026-07-28', '2025-11-25', '2025-06-18']);

/**
 * The headers with which a client repeats parts of a message; without a message, those of a GET or DELETE. `initialize` has none, and
 * legacy requests have only the version, since 2025-06-18. Notifications have only the version: no other header is defined for them. See
 * "Request Metadata" of Streamable HTTP.
 *
 * @example standardHeaders({ id: 1, method: 'tools/call', params: { name: 'add' } }, '2026-07-28')
 */
export function standardHeaders(message: MirroredMessage | undefined, revision: Revision): Record<string, string> {
  if (!NAMED_BY_HEADER.has(revision)) return {};
  const modern = featuresOf(revision).era === 'modern';
  if (!modern && message?.method === 'initialize') return {};
  const headers: Record<string, string> = { [HEADER.version]: revision };
  if (!modern || message?.id === undefined) return headers;
  headers[HEADER.method] = message.method;
  const name = mirroredName(message);
  if (name !== undefined) headers[HEADER.name] = encodeHeaderValue(name);
  return headers;
}

/**
 * Why `Mcp-Method` or `Mcp-Name` contradict the body; undefined if they do not ("Server Validation"). `required`: they must be present, as
 * in a modern request. In other requests they must still be correct if they are present, or a proxy would act on one value and the server
 * on another.
 */
export function checkStandardHeaders(
  message: MirroredMessage,
  header: HeaderLookup,
  required: boolean,
): string | undefined {
  const method = header(HEADER.method) ?? undefined;
  if (method === undefined && required) return 'The Mcp-Method header is missing';
  if (method !== undefined && trimOws(method) !== message.method) {
    return `The Mcp-Method header says '${shown(method)}', the body '${shown(message.method)}'`;
  }
  if (!NAME_SOURCES.has(message.method)) return undefined;
  const raw = header(HEADER.name) ?? undefined;
  if (raw === undefined) return required ? 'The Mcp-Name header is missing' : undefined;
  const name = decodeHeaderValue(raw);
  if (name === undefined) return 'The Mcp-Name header has invalid characters or invalid Base64';
  const expected = mirroredName(message);
  if (name === expected) return undefined;
  return `The Mcp-Name header says '${shown(name)}', the body ${expected === undefined ? 'nothing' : `'${shown(expected)}'`}`;
}

/** What `Mcp-Name` repeats of a message. */
export function mirroredName({ method, params }: MirroredMessage): string | undefined {
  const source = NAME_SOURCES.get(method);
  const name = source === undefined ? undefined : params?.[source];
  return typeof name === 'string' ? name : undefined;
}

/** A header value without the optional whitespace around it: spaces and tabs only (RFC 9110, section 5.6.3). */
export function trimOws(value: string): string {
  // Usually there is none.
  if (value.charCodeAt(0) > 0x20 && value.charCodeAt(value.length - 1) > 0x20) return value;
  let from = 0;
  let to = value.length;
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return to - from === value.length ? value : value.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Spaces, tabs, visible ASCII and bytes above 0x7f: the characters allowed in a field value (RFC 9110, section 5.5). */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Can this be sent as the value of a header? `node:http` and `fetch` throw for any other. */
export function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && SENDABLE.test(value);
}

const OPEN = '=?base64?';
const CLOSE = '?=';
/** Visible characters, with single or several spaces only between them. */
const PLAIN = /^(?:[\x21-\x7e]+(?: +[\x21-\x7e]+)*)?$/;
/** The characters inside a field value. Tabs are legal in HTTP, but clients that use this encoding do not send them. */
const FIELD_VALUE = /^[\x20-\x7e\t]*$/;
/** RFC 4648, section 4, with padding and with the unused bits zero: each text has exactly one form. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/**
 * A text as a header value: unchanged if a header can carry it, else its UTF-8 as Base64 between `=?base64?` and `?=` ("Value Encoding").
 * The result has visible ASCII characters and inner spaces only, so no text can end the header and begin another.
 *
 * @example encodeHeaderValue(' padded ') // '=?base64?IHBhZGRlZCA=?='
 */
export function encodeHeaderValue(text: string): string {
  const ambiguous = text.startsWith(OPEN) && text.endsWith(CLOSE);
  return PLAIN.test(text) && !ambiguous ? text : `${OPEN}${toBase64(new TextEncoder().encode(text))}${CLOSE}`;
}

/**
 * Decodes a header value. Undefined for characters that headers must not have, for Base64 that differs from the output of
 * `encodeHeaderValue`, and for bytes that are not UTF-8. A value without both markers is literal.
 */
export function decodeHeaderValue(value: string): string | undefined {
  const text = trimOws(value);
  if (!FIELD_VALUE.test(text)) return undefined;
  if (text.length < OPEN.length + CLOSE.length || !text.startsWith(OPEN) || !text.endsWith(CLOSE)) return text;
  const base64 = text.slice(OPEN.length, -CLOSE.length);
  if (!BASE64.test(base64)) return undefined;
  return decodeUtf8(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
