/** A resource that a text mentions as `@server:uri`. */
export interface Mention {
  readonly server: string;
  readonly uri: string;
}

/** What ends a sentence, and no address. */
const END = /[.,;!?)]+$/;

const mentionOf = (rest: string, servers: readonly string[]): Mention | undefined => {
  // The longest name counts: one may be the beginning of another.
  const [server] = servers.filter((alias) => rest.startsWith(`${alias}:`)).sort((a, b) => b.length - a.length);
  if (server === undefined) return undefined;
  const [uri = ''] = /^\S*/.exec(rest.slice(server.length + 1)) ?? [];
  return { server, uri: uri.replace(END, '') };
};

/**
 * The resources that a text mentions, each once. An `@` that begins no name of a server is left alone: it is the name of a person, or
 * part of an address of mail.
 */
export const mentionsIn = (text: string, servers: readonly string[]): Mention[] => {
  const found = new Map<string, Mention>();
  for (const { index } of text.matchAll(/(?<=^|\s)@/g)) {
    const mention = mentionOf(text.slice(index + 1), servers);
    if (mention !== undefined && mention.uri !== '') found.set(`${mention.server}:${mention.uri}`, mention);
  }
  return [...found.values()];
};
