// The route of a page, in the fragment of its URL: `#/explore/weather/tools/get_forecast?as=json&line=12`.

/** A route in the inspector. */
export interface Route {
  /** The id of a screen. */
  readonly screen: string;
  /** The id of a server. Undefined if the screen is about all of them. */
  readonly server: string | undefined;
  /** The path within the screen. */
  readonly rest: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/** Stands for "no server" if segments follow. */
const ALL = '-';
const MAX_LENGTH = 8_192;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses a fragment. An invalid one is an empty route, for which the shell shows its first screen. */
export function parseRoute(hash: string): Route {
  const text = hash.length > MAX_LENGTH ? '' : hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const [screen = '', server = '', ...rest] = path.split('/').map(decoded);
  const query = new Map(mark < 0 ? [] : new URLSearchParams(text.slice(mark + 1)));
  return { screen, server: server === '' || server === ALL ? undefined : server, rest, query };
}

/** A lone surrogate, which a server may use in a name, cannot be percent-encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function formatRoute({ screen, server, rest, query }: Route): string {
  const steps = [screen, server ?? (rest.length > 0 ? ALL : ''), ...rest].map(encoded);
  while (steps.length > 1 && steps.at(-1) === '') steps.pop();
  const params = new URLSearchParams([...query]).toString();
  return `#/${steps.join('/')}${params === '' ? '' : `?${params}`}`;
}

/** A route with parts of the query changed. Undefined removes a part. */
export function withQuery(route: Route, changes: Readonly<Record<string, string | undefined>>): Route {
  const query = new Map(route.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return { ...route, query };
}

/** The one-time code in the URL that the terminal printed: `#code=…`. */
export function codeOf(hash: string): string | undefined {
  const code = new URLSearchParams(hash.replace(/^#/, '')).get('code');
  return code === null || code === '' ? undefined : code;
}
