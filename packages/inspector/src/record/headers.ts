import { isSecretName } from './secret-names.ts';
import type { Redactor } from './redact.ts';

/** Headers whose values may be shown. All others may contain secrets. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-request-headers',
  'access-control-request-method',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'keep-alive',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'origin',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'vary',
  'www-authenticate',
  'x-accel-buffering',
]);

const HIDDEN = '…';
const PARAM = 'mcp-param-';
const MAX_HEADERS = 200;

/** A URL, or a path, without user, password, query and fragment, which may contain secrets. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][\w+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** The same, but shows that there was a query. */
export function shownLocation(url: string): string {
  const shown = shownUrl(url);
  return /[?#]/.test(url) ? `${shown}?${HIDDEN}` : shown;
}

function shownValue(name: string, value: string, redactor: Redactor): string {
  if (name === 'location') return redactor.clean(shownLocation(value)).text;
  if (name.startsWith(PARAM)) return isSecretName(name) ? HIDDEN : redactor.clean(value).text;
  return PUBLIC.has(name) ? redactor.clean(value).text : HIDDEN;
}

/** Headers as they are written to a trace: names in lower case, `…` for every value that may be secret. */
export function shownHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
  redactor: Redactor,
): Readonly<Record<string, string>> {
  const shown = new Map<string, string>();
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const before = shown.get(name);
    const own = shownValue(name, value, redactor);
    if (before === undefined && shown.size >= MAX_HEADERS) continue;
    shown.set(name, before === undefined || before === HIDDEN ? own : `${before}, ${own}`);
  }
  return Object.fromEntries(shown);
}
