/** A host and an optional port, in normalised form for comparison. */
export interface HostName {
  /** In lower case; IP addresses as the URL standard writes them, IPv6 in brackets. */
  readonly name: string;
  /** Empty if there is none. */
  readonly port: string;
}

/**
 * A name, an IPv4 address, or an IPv6 address in brackets; then an optional port. Contains nothing that a URL parser would decode or drop.
 */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{0,5}))?$/i;

/**
 * Reads a `Host` header, or an entry of an allow-list (RFC 9110, section 7.2). Undefined if it is not a host, or has a form that no client sends.
 *
 * @example readHost('LOCALHOST.:3000') // { name: 'localhost', port: '3000' }
 */
export function readHost(text: string): HostName | undefined {
  const [, host, port = ''] = HOST.exec(text) ?? [];
  const name = host === undefined ? undefined : canonical(host);
  return name === undefined ? undefined : { name, port: port === '' ? '' : String(Number(port)) };
}

/** The form a host has in URLs: `0x7f.1` is 127.0.0.1 and `[0:0::1]` is `[::1]`. A dot at the end of a name is ignored. */
function canonical(host: string): string | undefined {
  try {
    const { hostname } = new URL(`http://${host}`);
    return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  } catch {
    return undefined;
  }
}

/** A listening address in the form that clients use: IPv6 in brackets, without the zone. */
export function asHost(address: string): string {
  const bare = address.trim().replace(/^\[(.*)\]$/, '$1');
  return bare.includes(':') ? `[${bare.replace(/%.*$/, '')}]` : bare;
}

const EVERYWHERE: ReadonlySet<string | undefined> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]']);

/**
 * Does this address mean every interface, in any spelling? `0.0.0.0`, `::`, `0`, `0x0.0.0.0`, `::ffff:0.0.0.0`, or the empty string. Names are not
 * resolved: check the address of the bound socket as well.
 */
export function isAllInterfaces(address: string): boolean {
  const text = address.trim();
  return text === '' || text === '*' || text === '[]' || EVERYWHERE.has(canonical(asHost(text)));
}

/** The loopback names of this machine. */
export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Is this a loopback address or name? */
export function isLoopback(address: string): boolean {
  const name = canonical(asHost(address));
  if (name === undefined || name === '') return false;
  return (
    LOOPBACK_NAMES.includes(name) ||
    /^127\.\d+\.\d+\.\d+$/.test(name) ||
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]$/.test(name)
  );
}
