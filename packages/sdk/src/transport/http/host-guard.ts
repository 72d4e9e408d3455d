import { asHost, type HostName, isAllInterfaces, isLoopback, LOOPBACK_NAMES, readHost } from './host-names.ts';

/**
 * Which callers are allowed. Lists are arrays, or a comma-separated string as in environment variables; an empty list counts as missing.
 */
export interface GuardOptions {
  /** The address the server listens on. Undefined if another program listens for it. */
  readonly bound?: string;
  /** The host names of the server: `mcp.example.com`, or `localhost:3000` for one port only. */
  readonly allowedHosts?: readonly string[] | string;
  /** The origins of pages that may call from a browser: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | string;
  /** Confirms that listening on every interface is intended. */
  readonly expose?: boolean;
  /** Every request needs a token. */
  readonly authenticated?: boolean;
}

/** Protects the server from requests of foreign web pages: `Host` against DNS rebinding, `Origin` against all others. */
export interface Guard {
  /** Which of the two is not allowed; undefined when the request is allowed. Requests without `Origin` do not come from a browser. */
  refuses(host: string | null | undefined, origin: string | null | undefined): 'host' | 'origin' | undefined;
  /** May a page of this origin read responses of the server? */
  admits(origin: string | null | undefined): boolean;
}

/**
 * Makes the guard of a server. The defaults are strict: the names of the loopback interface, or the address the server is bound to, and the
 * pages of these hosts. The lists come from configuration alone: equal `Host` and `Origin` headers prove nothing, because an attacker
 * controls both.
 *
 * Throws a `TypeError` for a list entry that cannot match anything, and for listening on every interface without `expose`, or without
 * `allowedHosts` or authentication.
 *
 * @example createGuard({ bound: '127.0.0.1' }).refuses('evil.example', undefined) // 'host'
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const named = entriesOf(options.allowedHosts)?.map(hostEntry);
  requireIntent(options, named !== undefined);
  const hosts = matcher(named ?? defaultHosts(options.bound));
  const origins = entriesOf(options.allowedOrigins)?.map(originEntry);
  const listed = origins === undefined ? undefined : new Set(origins);
  const anyHost = named === undefined && options.bound !== undefined && isAllInterfaces(options.bound);

  const knowsHost = remembering((text) => {
    const host = readHost(text);
    return host !== undefined && (anyHost || hosts(host));
  });
  const knowsOrigin = remembering((text) => {
    const origin = readOrigin(text);
    if (origin === undefined) return false;
    if (listed !== undefined) return listed.has(origin.text);
    return origin.host !== undefined && hosts(origin.host);
  });

  return {
    refuses(host, origin) {
      if (typeof host !== 'string' || !knowsHost(host)) return 'host';
      return typeof origin !== 'string' || knowsOrigin(origin) ? undefined : 'origin';
    },
    admits: (origin) => typeof origin === 'string' && knowsOrigin(origin),
  };
}

function requireIntent({ bound, expose, authenticated }: GuardOptions, named: boolean): void {
  if (bound === undefined || !isAllInterfaces(bound)) return;
  if (expose !== true) {
    throw new TypeError(
      `Listening on '${bound}' means every network interface: set \`expose: true\` if you want that, else listen on 127.0.0.1`,
    );
  }
  if (!named && authenticated !== true) {
    throw new TypeError(
      'A server on every network interface needs `allowedHosts`, the names by which clients call it, or authentication',
    );
  }
}

function defaultHosts(bound: string | undefined): readonly HostName[] {
  // An address that means every interface is not a name of the server.
  if (bound !== undefined && isAllInterfaces(bound)) return [];
  const names = bound === undefined || isLoopback(bound) ? LOOPBACK_NAMES : [];
  return [...names, ...(bound === undefined ? [] : [asHost(bound)])].map(hostEntry);
}

/** The entries of a list; undefined if there are none. */
function entriesOf(list: readonly string[] | string | undefined): readonly string[] | undefined {
  const entries = (typeof list === 'string' ? [list] : (list ?? []))
    .flatMap((entry) => entry.split(','))
    .map((entry) => entry.trim());
  const filled = entries.filter((entry) => entry !== '');
  return filled.length === 0 ? undefined : filled;
}

function hostEntry(entry: string): HostName {
  const host = readHost(entry);
  if (host === undefined)
    throw new TypeError(`'${entry}' is not a host: use a name or an address, with a port to allow only that one`);
  return host;
}

function originEntry(entry: string): string {
  const origin = readOrigin(entry);
  if (origin === undefined)
    throw new TypeError(`'${entry}' is not an origin: use scheme://host, with a port unless it is the default one`);
  return origin.text;
}

/**
 * Returns a function that tells whether a host matches one of the entries. An entry without a port matches every port; 80 and 443 also
 * match hosts without a port.
 */
function matcher(entries: readonly HostName[]): (host: HostName) => boolean {
  const known = new Set(
    entries.flatMap(({ name, port }) => {
      if (port === '') return [name];
      return port === '80' || port === '443' ? [`${name}:${port}`, `${name}:`] : [`${name}:${port}`];
    }),
  );
  return ({ name, port }) => known.has(name) || known.has(`${name}:${port}`);
}

interface OriginName {
  /** Normalised for comparison. */
  readonly text: string;
  /** The host of the page, if it comes from a web server. */
  readonly host: HostName | undefined;
}

const DEFAULT_PORT: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** Reads an origin (RFC 6454, section 7). `null` is rejected, because many unrelated pages share it. */
function readOrigin(text: string): OriginName | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^\s/?#@,]+)$/i.exec(text) ?? [];
  const usual = DEFAULT_PORT.get(scheme.toLowerCase());
  if (usual === undefined) return scheme === '' ? undefined : { text: text.toLowerCase(), host: undefined };
  const host = readHost(rest);
  if (host === undefined) return undefined;
  const port = host.port === usual ? '' : host.port;
  return {
    text: `${scheme.toLowerCase()}://${host.name}${port === '' ? '' : `:${port}`}`,
    host: { name: host.name, port },
  };
}

/** The same predicate, which remembers the last text that passed: a client sends the same one with every request. */
function remembering(test: (text: string) => boolean): (text: string) => boolean {
  let last: string | undefined;
  return (text) => {
    if (text === last) return true;
    if (!test(text)) return false;
    last = text;
    return true;
  };
}
