import type { AllFields } from '../../wire/headers.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';

/** Header fields whose values are public. All others may contain secrets. */
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

/** The value of a field without secrets. */
function shownValue(name: string, value: string): string {
  if (name === 'location' || name === 'link') return withoutQueries(value);
  return PUBLIC.has(name) || FAMILIES.some((family) => name.startsWith(family)) ? value : '…';
}

/**
 * The key under which the original fields are found by code that redacts secrets in other texts, or continues the same session. It is a
 * symbol, so that they are not copied or written to a file by accident.
 */
const AS_SENT = Symbol.for('tenon.fieldsAsSent');

/** The fields without secrets, by names in lower case. */
export function shownFields(fields: AllFields): Readonly<Record<string, string>> {
  const shown: [string, string][] = [];
  const asSent = new Map<string, string>();
  for (const [name, value] of fields) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    const text = typeof value === 'object' ? value.join(', ') : String(value);
    asSent.set(key, text);
    shown.push([key, shownValue(key, text)]);
  }
  // Not by assignment: the names are chosen by the peer.
  return Object.defineProperty(Object.fromEntries(shown), AS_SENT, { value: asSent });
}

/** The query of a URL may contain a code or a token; so may the fragment. */
function withoutQueries(value: string): string {
  return value.replace(/[?#][^\s>",;]*/g, '?…');
}

/** A URL without parts that may be secret: as a value, and as text. */
export function shownUrl(address: string): { readonly url: string; readonly text: string } {
  const { origin, pathname, search } = new URL(address);
  const url = `${origin}${pathname}`;
  return { url, text: search === '' ? url : `${url}?…` };
}

/** A description of an event's other fields than its message. */
export function eventLine({ event, id, kind }: SseEvent): string {
  return [`event: ${event}`, ...(id === '' ? [] : [`id: ${id}`]), ...(kind === 'message' ? [] : [DATA[kind]])].join(
    '; ',
  );
}

const DATA = { empty: 'no data', invalid: 'data that is not UTF-8' } as const;

/** The beginning of a line, followed by the named fields that exist. */
export function describeHeaders(
  begin: string,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  return [begin, ...names.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]))].join(
    '; ',
  );
}
