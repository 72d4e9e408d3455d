import { isIP } from 'node:net';
import { isReservedAddress } from '../guard.ts';
import { reachFor } from './reach.ts';

/** Where else than on the internet a server may reach. */
export interface PublicFetchOptions {
  /** Hosts, with the port if it is not the usual one, that are reached wherever they are: `localhost:8080`. */
  readonly hosts?: readonly string[];
}

/**
 * `fetch` for addresses that are not trusted, such as those that a model makes up: it connects only to the internet, which is checked for the IP
 * address of each connection, and follows no redirects. The caller checks each address that it is redirected to, and bounds what it reads. Needs
 * Node.
 *
 * @example
 * ```ts
 * import { publicFetch } from 'tenon/auth';
 *
 * const reach = publicFetch();
 * const response = await reach('https://example.com/', { signal: AbortSignal.timeout(10_000) });
 * ```
 */
export const publicFetch = ({ hosts = [] }: PublicFetchOptions = {}): typeof globalThis.fetch => {
  const named = new Set(hosts.map((host) => host.toLowerCase()));
  const anywhere = reachFor({ admits: () => true });
  const outside = reachFor({ admits: (_, address) => !isReservedAddress(address) });
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError(`${url.protocol} is not the web`);
    if (url.username !== '' || url.password !== '') throw new TypeError('An address has no name and no password in it');
    if (named.has(url.host)) return anywhere(url, init);
    const bare = url.hostname.replace(/^\[(.*)\]$/, '$1');
    // Of an address that is no name nothing is looked up.
    if (isIP(bare) !== 0 && isReservedAddress(bare)) throw new Error(`${url.host} is not on the internet`);
    return outside(url, init);
  };
};
