import type { AllFields } from '../../wire/headers.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';

/** Header fields whose values may be shown. All others may contain secrets. */
const PUBLIC_FIELDS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expires',
  'host',
  'keep-alive',
  'last-event-id',
  'link',
  'location',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'pragma',
  'retry-after',
  'server',
  'strict-transport-security',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'vary',
  'via',
  'www-authenticate',
  'x-accel-buffering',
  'x-content-type-options',
]);

const PUBLIC_PREFIXES = ['mcp-param-', 'access-control-', 'sec-fetch-', 'sec-ch-'];

/** The value of a field as it may be shown. */
const shownValue = (name: string, value: string): string => {
  if (name === 'location' || name === 'link') return withoutQueries(value);
  return PUBLIC_FIELDS.has(name) || PUBLIC_PREFIXES.some((family) => name.startsWith(family)) ? value : '…';
};

/**
 * The key of the original values, for code that removes secrets from other texts or sends requests in the same session. They are stored under
 * a symbol, so that they are not copied or written by accident.
 */
const AS_SENT = Symbol.for('tenon.fieldsAsSent');

/** Header fields in the form in which they may be shown, by names in lower case. */
export const shownFields = (fields: AllFields): Readonly<Record<string, string>> => {
  const shown: [string, string][] = [];
  const asSent = new Map<string, string>();
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    const text = typeof value === 'object' ? value.join(', ') : String(value);
    asSent.set(key, text);
    shown.push([key, shownValue(key, text)]);
  }
  // Not by assignment, because the peer chooses the names.
  return Object.defineProperty(Object.fromEntries(shown), AS_SENT, { value: asSent });
};

/** A query or a fragment may contain a code or a token. */
const withoutQueries = (value: string): string => value.replace(/[?#][^\s>",;]*/g, '?…');

/** A URL without its possibly secret parts: for the facts, and for the text of a trace. */
export const shownUrl = (address: string): { readonly url: string; readonly text: string } => {
  const { origin, pathname, search } = new URL(address);
  const url = `${origin}${pathname}`;
  return { url, text: search === '' ? url : `${url}?…` };
};

/** Describes an event of a stream, apart from its message. */
export const eventLine = ({ event, id, kind }: SseEvent): string =>
  [`event: ${event}`, ...(id === '' ? [] : [`id: ${id}`]), ...(kind === 'message' ? [] : [DATA[kind]])].join('; ');

const DATA = { empty: 'no data', invalid: 'data that is not UTF-8' } as const;

/** The text of a trace line: a beginning, and those of the named header fields that are present. */
export const summaryLine = (
  begin: string,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): string =>
  [begin, ...names.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))].join('; ');
