import type { Principal } from '../../protocol/exchange.ts';
import type { HttpRequest } from './message.ts';

/**
 * The name under which what a caller takes is counted: its principal, or else the network it calls from. Undefined where neither is known.
 * `addressHeader`: the header in which a proxy says where a request comes from.
 */
export function callerOf(
  principal: Principal | undefined,
  request: HttpRequest,
  addressHeader: string | undefined,
): string | undefined {
  if (principal !== undefined) return callerNamed(principal.id);
  const told = addressHeader === undefined ? undefined : lastAddress(request.header(addressHeader));
  const address = told ?? request.address;
  return address === undefined ? undefined : `network ${networkOf(address)}`;
}

/** The same for the id of a principal. */
export const callerNamed = (id: string): string => `principal ${id}`;

/** Proxies add to the end of the list: what stands before may be the client's invention. */
function lastAddress(field: string | null | undefined): string | undefined {
  const last = field?.slice(field.lastIndexOf(',') + 1).trim();
  if (!last) return undefined;
  const [, inBrackets, v4] = /^(?:\[(.*)\](?::\d+)?|([^:]+):\d+)$/.exec(last) ?? [];
  return inBrackets ?? v4 ?? last;
}

/** Whoever has an address of IPv6 has all of its network of 64 bits. */
function networkOf(address: string): string {
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (v4 !== undefined || !address.includes(':')) return v4 ?? address;
  const groups = address
    .split('::', 1)[0]!
    .split(':')
    .filter((group) => group !== '');
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':').toLowerCase();
}
