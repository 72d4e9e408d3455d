import type { AllFields } from '../../wire/headers.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';

/** Header fields whose values anybody may see. All others may hold what is secret. */
const PUBLIC: ReadonlySet<string> = new Set([
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

const FAMILIES = ['mcp-param-', 'access-control-', 'sec-fetch-', 'sec-ch-'];

/** The value of a field as it may be shown. */
const shownValue = (name: string, value: string): string => {
  if (name === 'location' || name === 'link') return withoutQueries(value);
  return PUBLIC.has(name) || FAMILIES.some((family) => name.startsWith(family)) ? value : '…';
};

/**
 * Where the fields as they were are found by whoever takes secrets out of other texts, or has to speak in the same session: beside those
 * that are shown, not among them, so that nobody copies or writes them down by accident.
 */
const AS_SENT = Symbol.for('tenon.fieldsAsSent');

/** Fields as they may be shown, by names in lower case. */
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
  // Not by assignment: the names are those of the peer.
  return Object.defineProperty(Object.fromEntries(shown), AS_SENT, { value: asSent });
};

/** What follows a question mark may be a code or a token; so may a fragment. */
const withoutQueries = (value: string): string => value.replace(/[?#][^\s>",;]*/g, '?…');

/** An address without what may be secret in it: as a fact, and in words. */
export const shownUrl = (address: string): { readonly url: string; readonly text: string } => {
  const { origin, pathname, search } = new URL(address);
  const url = `${origin}${pathname}`;
  return { url, text: search === '' ? url : `${url}?…` };
};

/** What of an event of a stream is not its message, in words. */
export const eventLine = ({ event, id, kind }: SseEvent): string =>
  [`event: ${event}`, ...(id === '' ? [] : [`id: ${id}`]), ...(kind === 'message' ? [] : [DATA[kind]])].join('; ');

const DATA = { empty: 'no data', invalid: 'data that is not UTF-8' } as const;

/** What a line begins with, and those of the named fields that there are. */
export const told = (begin: string, headers: Readonly<Record<string, string>>, names: readonly string[]): string =>
  [begin, ...names.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))].join('; ');
