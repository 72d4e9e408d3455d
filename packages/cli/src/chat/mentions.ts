/** A resource that a text mentions as `@server:uri`. */
export interface Mention {
  readonly server: string;
  readonly uri: string;
}

/** Where an `@` may begin a mention, as the inside of a class of characters: after a letter it is part of an address of mail. */
export const BEFORE_MENTION = '\\s([{<"\'`';

/** What ends a sentence or a quotation, and no address. */
const END = /[.,;:!?'"`…>]$/;
const PAIRS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

const count = (text: string, sign: string): number => text.split(sign).length - 1;

/** The address without what belongs to the sentence: a bracket does if it was not opened in the address. */
const withoutEnd = (uri: string): string => {
  let found = uri;
  for (;;) {
    const last = found.at(-1) ?? '';
    const opens = PAIRS.get(last);
    const isEnd = opens === undefined ? END.test(last) : count(found, last) > count(found, opens);
    if (!isEnd) return found;
    found = found.slice(0, -1);
  }
};

/** After an address that is known comes nothing, or what ends a sentence. */
const AFTER_KNOWN = /^[.,;:!?'"`…>)\]}]*(?:\s|$)/;

const longest = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  );

const mentionOf = (rest: string, servers: readonly string[], listed: readonly Mention[]): Mention | undefined => {
  // The longest name counts: one may be the beginning of another.
  const server = longest(servers.filter((alias) => rest.startsWith(`${alias}:`)));
  if (server === undefined) return undefined;
  const after = rest.slice(server.length + 1);
  // What a server lists is known whole, whatever is in it.
  const known = longest(
    listed.flatMap(({ server: alias, uri }) =>
      alias === server && uri !== '' && after.startsWith(uri) && AFTER_KNOWN.test(after.slice(uri.length)) ? [uri] : [],
    ),
  );
  // None of these is part of an address that is written right.
  const [uri = ''] = /^[^\s"<>`]*/.exec(after) ?? [];
  return { server, uri: known ?? withoutEnd(uri) };
};

/**
 * The resources that a text mentions, each once. `listed`: those there are, by their addresses as the servers write them. An `@` that begins
 * no name of a server is left alone: it is the name of a person, or part of an address of mail.
 */
export const mentionsIn = (text: string, servers: readonly string[], listed: readonly Mention[] = []): Mention[] => {
  const found = new Map<string, Mention>();
  for (const { index } of text.matchAll(new RegExp(`(?<=^|[${BEFORE_MENTION}])@`, 'g'))) {
    const mention = mentionOf(text.slice(index + 1), servers, listed);
    if (mention !== undefined && mention.uri !== '') found.set(`${mention.server}:${mention.uri}`, mention);
  }
  return [...found.values()];
};
