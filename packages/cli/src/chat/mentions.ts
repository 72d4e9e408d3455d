/** A resource that a text mentions as `@server:uri`. */
export interface Mention {
  readonly server: string;
  readonly uri: string;
}

/** The characters after which an `@` may begin a mention, for a character class. After a letter it is part of an email address. */
export const BEFORE_MENTION = '\\s([{<"\'`';

/** Punctuation that ends a sentence or a quotation rather than a URI. */
const END = /[.,;:!?'"`…>]$/;
const PAIRS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}

/** The URI without trailing punctuation of the sentence. A closing bracket belongs to the sentence unless it was opened in the URI. */
function withoutEnd(uri: string): string {
  let found = uri;
  for (;;) {
    const last = found.at(-1) ?? '';
    const opens = PAIRS.get(last);
    const isEnd = opens === undefined ? END.test(last) : count(found, last) > count(found, opens);
    if (!isEnd) return found;
    found = found.slice(0, -1);
  }
}

/** A known URI is followed by white space or the end, possibly after punctuation. */
const AFTER_KNOWN = /^[.,;:!?'"`…>)\]}]*(?:\s|$)/;

function longest(texts: readonly string[]): string | undefined {
  return texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  );
}

function mentionOf(rest: string, servers: readonly string[], listed: readonly Mention[]): Mention | undefined {
  // Take the longest name, because one name may be a prefix of another.
  const server = longest(servers.filter((alias) => rest.startsWith(`${alias}:`)));
  if (server === undefined) return undefined;
  const after = rest.slice(server.length + 1);
  // A URI that the server lists is matched as a whole, whatever characters it contains.
  const known = longest(
    listed.flatMap(({ server: alias, uri }) =>
      alias === server && uri !== '' && after.startsWith(uri) && AFTER_KNOWN.test(after.slice(uri.length)) ? [uri] : [],
    ),
  );
  // These characters cannot occur in a valid URI.
  const [uri = ''] = /^[^\s"<>`]*/.exec(after) ?? [];
  return { server, uri: known ?? withoutEnd(uri) };
}

/**
 * The resources that a text mentions, without duplicates. `listed`: the resources of the servers, with their exact URIs. An `@` that is not
 * followed by the name of a server is ignored: it may be a person's name, or part of an email address.
 */
export function mentionsIn(text: string, servers: readonly string[], listed: readonly Mention[] = []): Mention[] {
  const found = new Map<string, Mention>();
  for (const { index } of text.matchAll(new RegExp(`(?<=^|[${BEFORE_MENTION}])@`, 'g'))) {
    const mention = mentionOf(text.slice(index + 1), servers, listed);
    if (mention !== undefined && mention.uri !== '') found.set(`${mention.server}:${mention.uri}`, mention);
  }
  return [...found.values()];
}
