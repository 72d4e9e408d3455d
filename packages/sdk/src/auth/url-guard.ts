import { AuthError, type AuthStep } from '../protocol/auth-error.ts';
import { shown } from '../protocol/text.ts';
import { isReservedAddress } from './reserved-address.ts';

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
