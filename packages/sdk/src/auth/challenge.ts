/** One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). */
export interface Challenge {
  /** In lower case: `bearer`, `dpop`. */
  readonly scheme: string;
  /** By name in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;
/** How much of a header is read, in characters. */
const MAX_LENGTH = 8_192;

/** Parses a header up to the first malformed part. */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  if (header === undefined) return [];
  const text = header.slice(0, MAX_LENGTH);
  const found: { scheme: string; params: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  const commas = (): void => {
    for (take(SPACE); text[at] === ','; take(SPACE)) at++;
  };
  for (commas(); at < text.length; commas()) {
    const word = take(TOKEN)?.[0];
    if (word === undefined) break;
    take(SPACE);
    if (text[at] === '=') {
      // A parameter of the previous challenge.
      at++;
      take(SPACE);
      const quoted = take(QUOTED);
      const value = quoted === undefined ? take(TOKEN)?.[0] : quoted[1]!.replaceAll(/\\(.)/g, '$1');
      if (value === undefined) break;
      const name = word.toLowerCase();
      const params = found.at(-1)?.params;
      if (params !== undefined && !params.has(name)) params.set(name, value);
      continue;
    }
    found.push({ scheme: word.toLowerCase(), params: new Map() });
    // `Negotiate abc==`: a token68, which is not used here.
    take(TOKEN68);
  }
  return found;
}

/** The Bearer or DPoP challenge of a header. Of several, the first that has an `error`, else the first. */
export function tokenChallenge(header: string | undefined): Challenge | undefined {
  const all = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  return all.find(({ params }) => params.has('error')) ?? all[0];
}
