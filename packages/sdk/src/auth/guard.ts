import { AuthError, type AuthStep } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';

/** Which addresses a server may send a client to. A server on this machine may name others on this machine; any other may not. */
export interface UrlGuard {
  /** The address, or an `AuthError` that says why it is not used. */
  check(text: string, what: string, step: AuthStep): URL;
  /** May a connection be made to this IP address, which the name stands for? */
  admits(hostname: string, address: string): boolean;
  /** May plain HTTP be used for this address? */
  insecure(url: URL): boolean;
  readonly loopback: boolean;
}

/** Decimal octets; the URL parser has turned every other spelling into them. */
const IPV4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** IPv4 ranges that are not on the internet (RFC 6890), as first octets and a test of the second. */
const isReservedV4 = (a: number, b: number, c: number): boolean =>
  a === 0 ||
  a === 10 ||
  a === 127 ||
  (a === 100 && b >= 64 && b <= 127) ||
  (a === 169 && b === 254) ||
  (a === 172 && b >= 16 && b <= 31) ||
  (a === 192 && b === 168) ||
  (a === 192 && b === 0 && (c === 0 || c === 2)) ||
  (a === 198 && (b === 18 || b === 19)) ||
  (a === 198 && b === 51 && c === 100) ||
  (a === 203 && b === 0 && c === 113) ||
  a >= 224;

const isReservedIPv4 = (text: string): boolean | undefined => {
  const match = IPV4.exec(text);
  return match === null ? undefined : isReservedV4(Number(match[1]), Number(match[2]), Number(match[3]));
};

/** The eight groups of an IPv6 address as the URL parser writes it. */
const groupsOf = (text: string): number[] | undefined => {
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const front = read(head);
  const back = tail === undefined ? [] : read(tail);
  const groups =
    tail === undefined
      ? front
      : [...front, ...Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0), ...back];
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
};

/** Only 2000::/3 is on the internet, and of that not what carries another address inside, or is for documents. */
const isReservedIPv6 = (text: string): boolean => {
  const groups = groupsOf(text);
  if (groups === undefined) return true;
  const [a = 0, b = 0] = groups;
  if ((a & 0xe000) !== 0x2000) return true;
  // 6to4, Teredo, documentation, ORCHID.
  return (
    a === 0x2002 ||
    (a === 0x2001 && (b === 0 || b === 0xdb8 || (b & 0xfff0) === 0x10 || (b & 0xfff0) === 0x20)) ||
    a === 0x3fff
  );
};

/** Is this an address of another network than the internet? Of an IP address only; names have to be resolved. */
export const isReservedAddress = (address: string): boolean => {
  const bare = address.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return isReservedIPv4(bare) ?? (bare.includes(':') ? isReservedIPv6(bare) : false);
};

const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Names that only mean something inside a network. */
const INTERNAL = /(?:^|\.)(?:local|internal|intranet|lan|home|corp|localdomain)$/;

/** Is this host the machine itself? */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/\.$/, ''));

/** The guard for what a server at this address says. `trusted`: the program names the addresses itself; they may be in its own network. */
export const createUrlGuard = (server: URL, trusted = false): UrlGuard => {
  const loopback = isLoopbackHost(server.hostname);
  const problemOf = (url: URL): string | undefined => {
    const hostname = url.hostname.replace(/\.$/, '');
    if (url.username !== '' || url.password !== '') return 'it has a name or a password in it';
    if (isLoopbackHost(hostname))
      return !loopback
        ? 'it is on this machine, and the server is not'
        : url.protocol === 'http:' || url.protocol === 'https:'
          ? undefined
          : 'it is not a web address';
    if (url.protocol !== 'https:') return 'it is not https';
    if (trusted) return undefined;
    if (isReservedAddress(hostname)) return 'it is in a network that is not the internet';
    if (INTERNAL.test(hostname) || !/[.:]/.test(hostname)) return 'it is a name inside a network';
    return undefined;
  };
  return {
    loopback,
    admits(hostname, address) {
      const isOwn = isLoopbackHost(address.includes(':') ? `[${address}]` : address);
      if (isLoopbackHost(hostname)) return loopback && isOwn;
      return trusted ? true : !isOwn && !isReservedAddress(address);
    },
    insecure: (url) => url.protocol === 'http:' && isLoopbackHost(url.hostname),
    check(text, what, step) {
      let url: URL;
      try {
        url = new URL(text);
      } catch {
        throw new AuthError(step, `${what} is no address: ${shown(text, 100)}`);
      }
      const problem = problemOf(url);
      if (problem === undefined) return url;
      throw new AuthError(step, `${what} (${shown(`${url.protocol}//${url.host}`, 100)}) is not used: ${problem}`);
    },
  };
};
