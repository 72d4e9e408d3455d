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
/** More of a header is not read. */
const LONGEST = 8_192;

/** Takes a header apart. What is malformed ends it; what was read before counts. */
export const parseChallenges = (header: string | undefined): readonly Challenge[] => {
  if (header === undefined) return [];
  const text = header.slice(0, LONGEST);
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
      // A parameter of the challenge before it.
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
    // `Negotiate abc==`: a token of its own, which says nothing here.
    take(TOKEN68);
  }
  return found;
};

/** The challenge that asks for a token, and its parameters: of several, one that says what was wrong. */
export const tokenChallenge = (header: string | undefined): Challenge | undefined => {
  const all = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  return all.find(({ params }) => params.has('error')) ?? all[0];
};
