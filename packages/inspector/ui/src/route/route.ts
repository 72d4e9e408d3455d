// Where a page is, in the fragment of its address: `#/explore/weather/tools/get_forecast?as=json&line=12`.

/** A place in the inspector. */
export interface Route {
  /** The id of a screen. */
  readonly screen: string;
  /** The id of a server; undefined where the screen is about all of them. */
  readonly server: string | undefined;
  /** What the screen makes of it. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/** Stands for "no server" where something follows. */
const ALL = '-';
const MAX_LENGTH = 8_192;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads a fragment. What cannot be read is an empty route: the shell shows its first screen. */
export function parseRoute(hash: string): Route {
  const text = hash.length > MAX_LENGTH ? '' : hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const [screen = '', server = '', ...rest] = path.split('/').map(decoded);
  const query = new Map(mark < 0 ? [] : new URLSearchParams(text.slice(mark + 1)));
  return { screen, server: server === '' || server === ALL ? undefined : server, rest, query };
}

/** Half a character, which a server may well have in a name, can stand in no address. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function formatRoute({ screen, server, rest, query }: Route): string {
  const steps = [screen, server ?? (rest.length > 0 ? ALL : ''), ...rest].map(encoded);
  while (steps.length > 1 && steps.at(-1) === '') steps.pop();
  const params = new URLSearchParams([...query]).toString();
  return `#/${steps.join('/')}${params === '' ? '' : `?${params}`}`;
}

/** A route with parts of the query changed; undefined takes one out. */
export function withQuery(route: Route, changes: Readonly<Record<string, string | undefined>>): Route {
  const query = new Map(route.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return { ...route, query };
}

/** The one-time code of the address that the terminal printed: `#code=…`. */
export function codeOf(hash: string): string | undefined {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get('code');
  return code === null || code === '' ? undefined : code;
}
