// The URL of a database, without its password wherever it is shown.

/** The parsed URL of a database. */
export interface Address {
  /** For the driver only: it has the password. */
  readonly connectionString: string;
  /** The URI that the URIs of the resources begin with: `postgres://ann@localhost:5432`. */
  readonly base: string;
  /** The password, in every way it is written. */
  readonly secrets: readonly string[];
}

/** Shorter passwords occur in any text, and replacing them would make messages unreadable. */
const MIN_SECRET_LENGTH = 4;

/** In libpq these modes do not verify the certificate or the name of the server. The driver verifies both, but warns that this may change. */
const WEAKER_MODES = new Set(['prefer', 'require', 'verify-ca']);

/**
 * Parses the URL of a database. Throws an `Error` that does not contain the URL, because it may have a password. Without a password, the
 * driver uses `PGPASSWORD`.
 */
export function parseAddress(text: string, env: Readonly<Record<string, string | undefined>> = {}): Address {
  // libpq allows a user without a host, for a socket that the parameters name.
  const whole = URL.canParse(text) ? text : text.replace('@/', '@localhost/');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:'))
    throw new Error('The database is a URL such as postgres://ann@localhost:5432/shop');
  // Otherwise a part of the password is taken for the host or the name of the database, and shown in messages.
  if (url.pathname.includes('@') || url.search.includes('@') || url.hash !== '')
    throw new Error('In the password of the URL, write / ? # and @ as %2F %3F %23 and %40');
  const { searchParams } = url;
  if (WEAKER_MODES.has(searchParams.get('sslmode') ?? '') && searchParams.get('uselibpqcompat') !== 'true')
    searchParams.set('sslmode', 'verify-full');
  const given = [searchParams.get('password'), url.password, decoded(url.password), env['PGPASSWORD']];
  return {
    connectionString: url.href,
    base: `postgres://${url.username === '' ? '' : `${url.username}@`}${url.host}`,
    secrets: given.filter((secret) => typeof secret === 'string').filter(({ length }) => length >= MIN_SECRET_LENGTH),
  };
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    throw new Error('In the password of the URL, write % as %25');
  }
}
