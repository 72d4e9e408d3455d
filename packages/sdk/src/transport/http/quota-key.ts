import type { Principal } from '../../protocol/request-context.ts';
import type { HttpRequest } from './http-message.ts';

/**
 * The key under which a client's resource use is counted: its principal, or else the network of its address. Undefined if neither is known.
 * `addressHeader`: the header in which a proxy sends the client's address.
 */
export function quotaKeyOf(
  principal: Principal | undefined,
  request: HttpRequest,
  addressHeader: string | undefined,
): string | undefined {
  if (principal !== undefined) return quotaKeyOfPrincipal(principal.id);
  const forwarded = addressHeader === undefined ? undefined : lastAddress(request.header(addressHeader));
  const address = forwarded ?? request.address;
  return address === undefined ? undefined : quotaKeyOfNetwork(address);
}

/** The keys of recent addresses. The same string each time is also found faster where requests are counted by it. */
const networkKeys = new Map<string, string>();
const MAX_NETWORK_KEYS = 1_000;

function quotaKeyOfNetwork(address: string): string {
  const known = networkKeys.get(address);
  if (known !== undefined) return known;
  if (networkKeys.size >= MAX_NETWORK_KEYS) networkKeys.clear();
  const key = `network ${networkOf(address)}`;
  networkKeys.set(address, key);
  return key;
}

/** The key for the id of a principal. */
export function quotaKeyOfPrincipal(id: string): string {
  return `principal ${id}`;
}

/** Proxies append to the list: earlier addresses may have been invented by the client. */
function lastAddress(field: string | null | undefined): string | undefined {
  const last = field?.slice(field.lastIndexOf(',') + 1).trim();
  if (!last) return undefined;
  const [, inBrackets, v4] = /^(?:\[(.*)\](?::\d+)?|([^:]+):\d+)$/.exec(last) ?? [];
  return inBrackets ?? v4 ?? last;
}

/** A client with one IPv6 address usually has its whole /64 network. */
export function networkOf(address: string): string {
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined || !address.includes(':')) return v4 ?? address;
  const groups = address
    .split('::', 1)[0]!
    .split(':')
    .filter((group) => group !== '');
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':').toLowerCase();
}
