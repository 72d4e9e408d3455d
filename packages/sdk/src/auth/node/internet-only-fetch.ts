import { isIP } from 'node:net';
import { isReservedAddress } from '../reserved-address.ts';
import { guardedFetch } from './guarded-fetch.ts';

/** Options of `internetOnlyFetch`. */
export interface InternetOnlyFetchOptions {
  /** Hosts that are allowed wherever they are, with the port unless it is the default: `localhost:8080`. */
  readonly hosts?: readonly string[];
}

/**
 * `fetch` for untrusted URLs, such as those that a model makes up: it connects only to public IP addresses, which it checks for each
 * connection, and does not follow redirects. The caller checks the target of each redirect, and limits how much it reads. Needs Node.
 *
 * @example
 * ```ts
 * import { internetOnlyFetch } from 'tenon/auth';
 *
 * const reach = internetOnlyFetch();
 * const response = await reach('https://example.com/', { signal: AbortSignal.timeout(10_000) });
 * ```
 */
export function internetOnlyFetch({ hosts = [] }: InternetOnlyFetchOptions = {}): typeof globalThis.fetch {
  const allowed = new Set(hosts.map((host) => host.toLowerCase()));
  const anywhere = guardedFetch({ admits: () => true });
  const outside = guardedFetch({ admits: (_, address) => !isReservedAddress(address) });
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new TypeError(`${url.protocol} is not http or https`);
    if (url.username !== '' || url.password !== '')
      throw new TypeError('The URL must not contain a user name or a password');
    if (allowed.has(url.host)) return anywhere(url, init);
    const bare = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // IP addresses are not resolved, so they are checked here.
    if (isIP(bare) !== 0 && isReservedAddress(bare)) throw new Error(`${url.host} is not on the internet`);
    return outside(url, init);
  };
}
