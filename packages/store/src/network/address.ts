/** An address of a server in a network. */
export interface NetworkAddress {
  readonly scheme: string;
  readonly host: string;
  /** Undefined: the usual one. */
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** What follows the host, such as `/0`. */
  readonly path: string;
  /** What all names begin with that are used in the database. */
  readonly prefix: string;
}

/** The default of `?prefix=` in an address. */
const PREFIX = 'tenon';

/** Parses an address. `form` describes valid ones for the `TypeError`, which must not contain the address: it may contain a password. */
export function parseNetworkAddress(address: string, form: string): NetworkAddress {
  const invalid = new TypeError(`The address has the form ${form}`);
  if (!URL.canParse(address)) throw invalid;
  const url = new URL(address);
  const { prefix = PREFIX, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || url.hash !== '' || url.hostname === '') throw invalid;
  if (!/^[\w.-]{1,64}$/.test(prefix))
    throw new TypeError('The prefix in an address is 1 to 64 letters, digits, ".", "_" and "-"');
  const decoded = (text: string): string | undefined => {
    try {
      return text === '' ? undefined : decodeURIComponent(text);
    } catch {
      throw invalid;
    }
  };
  return {
    scheme: url.protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? undefined : Number(url.port),
    user: decoded(url.username),
    password: decoded(url.password),
    path: url.pathname,
    prefix,
  };
}
