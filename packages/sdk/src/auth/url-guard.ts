import { AuthError, type AuthStep } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';

/** Decides which URLs of a server a client uses. Only a server on this machine may name other servers on this machine. */
export interface UrlGuard {
  /** Returns the URL, or throws an `AuthError` with the reason why it is not used. */
  check(text: string, what: string, step: AuthStep): URL;
  /** May a connection be made to this IP address, to which the hostname resolves? */
  admits(hostname: string, address: string): boolean;
  /** May plain HTTP be used for this URL? */
  insecure(url: URL): boolean;
  readonly loopback: boolean;
}

/** Four decimal octets: the URL parser converts all other notations. */
const IPV4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** IPv4 ranges that are not on the internet (RFC 6890), by their first three octets. */
function isReservedV4(a: number, b: number, c: number): boolean {
  return (
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
    a >= 224
  );
}

function isReservedIPv4(text: string): boolean | undefined {
  const match = IPV4.exec(text);
  return match === null ? undefined : isReservedV4(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** The eight groups of an IPv6 address as the URL parser writes it. */
function groupsOf(text: string): number[] | undefined {
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
}

/** Only 2000::/3 is on the internet, except for ranges that embed another address or are for documentation. */
function isReservedIPv6(text: string): boolean {
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
}

/** Is this an IP address outside of the internet? False for a hostname, which has to be resolved first. */
export function isReservedAddress(address: string): boolean {
  const bare = address.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return isReservedIPv4(bare) ?? (bare.includes(':') ? isReservedIPv6(bare) : false);
}

const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Hostnames that only resolve inside a network. */
const INTERNAL = /(?:^|\.)(?:local|internal|intranet|lan|home|corp|localdomain)$/;

/** Is this hostname this machine? */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname.replace(/\.$/, ''));
}

/** Creates the guard for URLs from a server. `trusted`: they come from the program itself, and may be in its own network. */
export function createUrlGuard(server: URL, trusted = false): UrlGuard {
  const loopback = isLoopbackHost(server.hostname);
  const problemOf = (url: URL): string | undefined => {
    const hostname = url.hostname.replace(/\.$/, '');
    if (url.username !== '' || url.password !== '') return 'it contains a user name or a password';
    if (isLoopbackHost(hostname))
      return !loopback
        ? 'it is on this machine, and the server is not'
        : url.protocol === 'http:' || url.protocol === 'https:'
          ? undefined
          : 'it is not a web address';
    if (url.protocol !== 'https:') return 'it is not https';
    if (trusted) return undefined;
    if (isReservedAddress(hostname)) return 'it is not on the internet';
    if (INTERNAL.test(hostname) || !/[.:]/.test(hostname)) return 'it is a hostname of a private network';
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
        throw new AuthError('unsafe-address', step, `${what} is not a valid URL: ${shown(text, 100)}`);
      }
      const problem = problemOf(url);
      if (problem === undefined) return url;
      throw new AuthError(
        'unsafe-address',
        step,
        `${what} (${shown(`${url.protocol}//${url.host}`, 100)}) is not used: ${problem}`,
      );
    },
  };
}
