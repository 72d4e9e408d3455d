// Where pages may connect to: a list of origins, and the addresses that they may have.
import { lookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { isReservedAddress } from '@tenon/values/reserved-address';

const resolveByDns = promisify(lookup);

/** A host and a port that something connects to. */
export interface Destination {
  /** In lower case, and without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
}

/** Says to the model why a destination is not connected to. */
export class RefusedError extends Error {}

/** Decides about the connections of a browser. */
export interface Origins {
  /** Why this URL must not be loaded, as far as that can be known without its addresses. Undefined: it may. */
  refusal(url: URL): string | undefined;
  /** The addresses to connect to. Rejects with a `RefusedError` if there are none that may be used. */
  addressesOf(destination: Destination): Promise<readonly LookupAddress[]>;
}

/** An entry of the list: `https://example.com`, or with `isParent` every subdomain of it. */
interface Entry extends Destination {
  readonly protocol: string;
  readonly isParent: boolean;
}

const NOT_LISTED = 'the user has not allowed this origin';
const NOT_INTERNET = 'it is not on the internet, and the user has not allowed this origin';

const EVERYWHERE = '*';
const FORM =
  'An origin has the form https://example.com, http://localhost:3000, https://*.example.com, or * for the whole internet';

/** The destination of a URL, whose protocol is http, https, ws or wss. */
export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const isSecure = protocol === 'https:' || protocol === 'wss:';
  return {
    hostname: hostname
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '')
      .toLowerCase(),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
  };
}

/** A URL as it is shown: without a password, and not longer than necessary. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return address.slice(0, 2_000);
  const url = new URL(address);
  url.username = url.password = '';
  return url.href.slice(0, 2_000);
}

function parseEntry(text: string): Entry {
  const isParent = /^https?:\/\/\*\./i.test(text);
  const plain = isParent ? text.replace('*.', '') : text;
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (!isOrigin || url.hostname.includes('*') || (isParent && isIP(destinationOf(url).hostname) !== 0))
    throw new Error(`${FORM}, not '${text}'`);
  return { ...destinationOf(url), protocol: url.protocol, isParent };
}

function matches({ hostname, port, isParent }: Entry, destination: Destination): boolean {
  if (port !== destination.port) return false;
  return isParent ? destination.hostname.endsWith(`.${hostname}`) : destination.hostname === hostname;
}

/**
 * Addresses at which clouds keep the credentials of a machine, also within IPv6 addresses. Most are private, too, but not that of Azure. These
 * have to be named themselves.
 */
function isMetadataAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return (
    /^169\.254\.|^100\.100\.100\.200$|^168\.63\.129\.16$/.test(plain) ||
    /^fe[89ab]|^fd00:ec2::|^fd20:ce::|:a9fe:[\da-f]{1,4}$|:6464:64c8$/i.test(plain)
  );
}

/** Whether an address is on the internet. True for a hostname, which has to be resolved first. */
function isOnInternet(address: string): boolean {
  return !isReservedAddress(address) && !isMetadataAddress(address);
}

/** Makes the rules for a list of origins. Throws an `Error` for the user if one of them cannot be used. */
export function createOrigins(list: readonly string[], resolve: typeof resolveByDns = resolveByDns): Origins {
  const hasEverything = list.includes(EVERYWHERE);
  const entries = list.filter((text) => text !== EVERYWHERE).map(parseEntry);

  /** How far a destination may be reached. Of a connection, the protocol is not known. */
  const reachOf = (destination: Destination, protocol?: string): 'anywhere' | 'internet' | undefined => {
    const found = entries.filter(
      (entry) => matches(entry, destination) && (protocol === undefined || protocol === entry.protocol),
    );
    if (found.some(({ isParent }) => !isParent)) return 'anywhere';
    return hasEverything || found.length > 0 ? 'internet' : undefined;
  };

  return {
    refusal(url) {
      const destination = destinationOf(url);
      const reach = reachOf(destination, url.protocol);
      if (reach === undefined) return NOT_LISTED;
      return reach === 'internet' && !isOnInternet(destination.hostname) ? NOT_INTERNET : undefined;
    },
    async addressesOf(destination) {
      const reach = reachOf(destination);
      if (reach === undefined) throw new RefusedError(NOT_LISTED);
      const family = isIP(destination.hostname);
      const found =
        family === 0 ? await resolve(destination.hostname, { all: true }) : [{ address: destination.hostname, family }];
      const allowed = found.filter(({ address }) =>
        reach === 'internet' ? isOnInternet(address) : family !== 0 || !isMetadataAddress(address),
      );
      if (allowed.length === 0) throw new RefusedError(NOT_INTERNET);
      return allowed;
    },
  };
}
