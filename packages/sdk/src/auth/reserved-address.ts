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
