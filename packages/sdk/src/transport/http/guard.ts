import { asHost, type HostName, isAllInterfaces, isLoopback, LOOPBACK_NAMES, readHost } from './guard-hosts.ts';

/** Who may call. Lists are arrays, or one text with commas as in an environment variable; a list with nothing in it counts as not given. */
export interface GuardOptions {
  /** The address the server listens on. Undefined: somebody else listens for it. */
  readonly bound?: string;
  /** Names by which clients call the server: `mcp.example.com`, or `localhost:3000` for one port only. */
  readonly allowedHosts?: readonly string[] | string;
  /** Pages that may call from a browser: `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[] | string;
  /** Listening on every interface is meant. */
  readonly expose?: boolean;
  /** Every request has to show a token. */
  readonly authenticated?: boolean;
}

/** Keeps foreign web pages from calling a server that they should not reach: by `Host` against DNS rebinding, by `Origin` against the rest. */
export interface Guard {
  /** Which of the two is not allowed; undefined when the request may come in. Without `Origin` it comes from no browser. */
  refuses(host: string | null | undefined, origin: string | null | undefined): 'host' | 'origin' | undefined;
  /** May a page of this origin read what the server answers? */
  admits(origin: string | null | undefined): boolean;
}

/**
 * The lists of a server, ready to hold requests against. What is not given is strict: the names of the loopback interface,
 * or the address the server is bound to, and pages that such a host serves. The lists come from configuration alone:
 * that `Host` and `Origin` agree says nothing, both are the attacker's.
 *
 * Throws a `TypeError` for a list entry that cannot match anything, and for listening on every interface without `expose`,
 * and without names or tokens to tell who is meant.
 *
 * @example createGuard({ bound: '127.0.0.1' }).refuses('evil.example', undefined) // 'host'
 */
export const createGuard = (options: GuardOptions = {}): Guard => {
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
};

const requireIntent = ({ bound, expose, authenticated }: GuardOptions, named: boolean): void => {
  if (bound === undefined || !isAllInterfaces(bound)) return;
  if (expose !== true) {
    throw new TypeError(
      `Listening on '${bound}' means on every network interface: set \`expose: true\` if that is meant, else listen on 127.0.0.1`,
    );
  }
  if (!named && authenticated !== true) {
    throw new TypeError(
      'A server on every network interface needs `allowedHosts`, the names by which clients call it, or authentication',
    );
  }
};

const defaultHosts = (bound: string | undefined): readonly HostName[] => {
  // An address that only says "everywhere" is no name to be called by.
  if (bound !== undefined && isAllInterfaces(bound)) return [];
  const names = bound === undefined || isLoopback(bound) ? LOOPBACK_NAMES : [];
  return [...names, ...(bound === undefined ? [] : [asHost(bound)])].map(hostEntry);
};

/** The entries of a list; undefined when there are none. */
const entriesOf = (list: readonly string[] | string | undefined): readonly string[] | undefined => {
  const entries = (typeof list === 'string' ? [list] : (list ?? []))
    .flatMap((entry) => entry.split(','))
    .map((entry) => entry.trim());
  const filled = entries.filter((entry) => entry !== '');
  return filled.length === 0 ? undefined : filled;
};

const hostEntry = (entry: string): HostName => {
  const host = readHost(entry);
  if (host === undefined)
    throw new TypeError(`'${entry}' is no host: write a name or an address, with a port if only one is meant`);
  return host;
};

const originEntry = (entry: string): string => {
  const origin = readOrigin(entry);
  if (origin === undefined)
    throw new TypeError(`'${entry}' is no origin: write scheme://host, with a port unless it is the usual one`);
  return origin.text;
};

/** Does a host match one of these? An entry without a port means every port; 80 and 443 are also meant where no port is said. */
const matcher = (entries: readonly HostName[]): ((host: HostName) => boolean) => {
  const known = new Set(
    entries.flatMap(({ name, port }) => {
      if (port === '') return [name];
      return port === '80' || port === '443' ? [`${name}:${port}`, `${name}:`] : [`${name}:${port}`];
    }),
  );
  return ({ name, port }) => known.has(name) || known.has(`${name}:${port}`);
};

interface OriginName {
  /** In the one form in which origins are compared. */
  readonly text: string;
  /** Where the page comes from a web server. */
  readonly host: HostName | undefined;
}

const USUAL_PORT: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** Reads an origin (RFC 6454, section 7). `null`, which many unrelated pages share, is none. */
const readOrigin = (text: string): OriginName | undefined => {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^\s/?#@,]+)$/i.exec(text) ?? [];
  const usual = USUAL_PORT.get(scheme.toLowerCase());
  if (usual === undefined) return scheme === '' ? undefined : { text: text.toLowerCase(), host: undefined };
  const host = readHost(rest);
  if (host === undefined) return undefined;
  const port = host.port === usual ? '' : host.port;
  return {
    text: `${scheme.toLowerCase()}://${host.name}${port === '' ? '' : `:${port}`}`,
    host: { name: host.name, port },
  };
};

/** A test that remembers the last text it liked: a client says the same one with every request. */
const remembering = (test: (text: string) => boolean): ((text: string) => boolean) => {
  let last: string | undefined;
  return (text) => {
    if (text === last) return true;
    if (!test(text)) return false;
    last = text;
    return true;
  };
};
