/** A host and, where it was said, a port, each in the one form in which they are compared. */
export interface HostName {
  /** In lower case; IP addresses as the URL standard writes them, version 6 in brackets. */
  readonly name: string;
  /** The empty string where there is none. */
  readonly port: string;
}

/** A name, an address of version 4, or one of version 6 in brackets; then perhaps a port. Nothing that a URL parser would decode or drop. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{0,5}))?$/i;

/**
 * Reads a `Host` header, or an entry of an allow-list (RFC 9110, section 7.2). Undefined for what is no host, or is written as no client writes one.
 *
 * @example readHost('LOCALHOST.:3000') // { name: 'localhost', port: '3000' }
 */
export const readHost = (text: string): HostName | undefined => {
  const [, host, port = ''] = HOST.exec(text) ?? [];
  const name = host === undefined ? undefined : canonical(host);
  return name === undefined ? undefined : { name, port: port === '' ? '' : String(Number(port)) };
};

/** The name that URLs have for a host: `0x7f.1` is 127.0.0.1 and `[0:0::1]` is `[::1]`. A dot at the end of a name means nothing here. */
const canonical = (host: string): string | undefined => {
  try {
    const { hostname } = new URL(`http://${host}`);
    return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  } catch {
    return undefined;
  }
};

/** An address to listen on, as a client names it: version 6 in brackets, without the interface it belongs to. */
export const asHost = (address: string): string => {
  const bare = address.trim().replace(/^\[(.*)\]$/, '$1');
  return bare.includes(':') ? `[${bare.replace(/%.*$/, '')}]` : bare;
};

const EVERYWHERE: ReadonlySet<string | undefined> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]']);

/**
 * Does listening on this address mean to listen on every interface? However it is written: `0.0.0.0`, `::`, `0`, `0x0.0.0.0`, `::ffff:0.0.0.0`, nothing at all.
 * A name that only a resolver can tell about is not known here: look at the address a socket got as well.
 */
export const isAllInterfaces = (address: string): boolean => {
  const text = address.trim();
  return text === '' || text === '*' || text === '[]' || EVERYWHERE.has(canonical(asHost(text)));
};

/** The names of this machine for itself. */
export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Can only this machine reach this address? */
export const isLoopback = (address: string): boolean => {
  const name = canonical(asHost(address));
  if (name === undefined || name === '') return false;
  return (
    LOOPBACK_NAMES.includes(name) ||
    /^127\.\d+\.\d+\.\d+$/.test(name) ||
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]$/.test(name)
  );
};
