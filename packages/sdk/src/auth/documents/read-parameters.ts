import { REDIRECT_PARAMETERS } from './documents.ts';
import { type Members, type Read, readMembers, type Source } from './read-members.ts';

/** Decodes a name or value of a form; undefined if it is not UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/**
 * Reads the parameters of a query or a form (RFC 6749, appendix B). A repeated one is refused, and one without a value counts as missing
 * (section 3.1). Throws the error of `source`.
 *
 * @example readParameters('code=abc&state=xyz', { code: required(VISIBLE) }, source).code // 'abc'
 */
export function readParameters<M extends Members>(text: string, members: M, source: Source): Read<M> {
  const found: Record<string, string> = {};
  const seen = new Set<string>();
  for (const part of text === '' ? [] : text.split('&')) {
    const mark = part.indexOf('=');
    const name = decoded(mark === -1 ? part : part.slice(0, mark));
    if (name === undefined || !Object.hasOwn(members, name)) continue;
    if (seen.has(name)) throw source.refuse(`${source.what} has \`${name}\` more than once`, name);
    seen.add(name);
    const value = decoded(mark === -1 ? '' : part.slice(mark + 1));
    if (value === undefined) throw source.refuse(`${source.what} has an invalid \`${name}\`: it is not UTF-8`, name);
    if (value !== '') found[name] = value;
  }
  return readMembers(found, members, source);
}

/** Reads the query of the redirect after a login, and returns it without other parameters. Throws the error of `source`. */
export function redirectAnswer(query: string, source: Source): URLSearchParams {
  const found = readParameters(query, REDIRECT_PARAMETERS, source);
  return new URLSearchParams(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
