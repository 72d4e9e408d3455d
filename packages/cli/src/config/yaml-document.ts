import { type Document, type Fields, isFields, notServers } from './document.ts';

/**
 * Finds the end of an entry that starts at `from` and ends at `to` at the latest: `own` is after its own lines, `cut` after the empty
 * lines below them. Comments indented no deeper than the entry's key belong to the next entry.
 */
function endsOf(
  text: string,
  from: number,
  to: number,
  indent: number,
): { readonly own: number; readonly cut: number } {
  const lines = text.slice(from, to).split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line));
  const lead = lines.findIndex(
    (line, at) => at > last && line.trimStart().startsWith('#') && line.search(/\S/) <= indent,
  );
  const cut = lead === -1 ? lines : lines.slice(0, lead);
  const own = cut.slice(0, cut.findLastIndex((line) => line.trim() !== '') + 1);
  return { own: from + own.join('').length, cut: from + cut.join('').length };
}

/** Parses YAML. */
export async function yamlDocument(text: string, member: string): Promise<Document> {
  const { isMap, isNode, isScalar, parseDocument, stringify } = await import('yaml');
  const read = () => parseDocument(text, { keepSourceTokens: true });
  const document = read();
  if (document.errors.length > 0) throw new Error(`it is not YAML (${document.errors[0]!.message.split('\n')[0]})`);
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (!isFields(value)) throw new Error('its top level is not a mapping');
  const servers = (Object.hasOwn(value, member) ? value[member] : undefined) ?? {};
  if (!isFields(servers)) throw notServers(member);

  /** The text as the YAML library writes it, which may move comments. */
  const rewritten = (name: string, fields: Fields | undefined): string => {
    const next = read();
    const place = next.get(member, true);
    if (fields === undefined) next.deleteIn([member, name]);
    else if (isScalar(place)) {
      // The key is there, without a value.
      const map = next.createNode({ [name]: fields });
      map.commentBefore = place.comment;
      next.set(member, map);
    } else next.setIn([member, name], next.createNode(fields));
    return next.toString({ lineWidth: 0 });
  };

  /** The text with only the entry's lines inserted, replaced or removed; undefined if the servers are not a block mapping. */
  const spliced = (name: string, fields: Fields | undefined): string | undefined => {
    const map = document.get(member, true);
    if (!isMap(map) || map.flow === true || map.items.length === 0) return undefined;
    const lineAt = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
    const starts = map.items.map(({ key }) => (isNode(key) ? lineAt(key.range![0]) : -1));
    if (starts.includes(-1) || (fields === undefined && starts.length === 1)) return undefined;
    const index = map.items.findIndex(({ key }) => isNode(key) && String((key as { value?: unknown }).value) === name);
    const indent = /^[ ]*/.exec(text.slice(starts[0]))![0];
    const block =
      fields === undefined ? '' : stringify({ [name]: fields }, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent);
    // A new entry goes after the last one, which is at -1.
    const start = starts.at(index)!;
    const ends = endsOf(text, start, (index === -1 ? undefined : starts[index + 1]) ?? map.range![1], indent.length);
    const before = text.slice(0, index === -1 ? ends.own : start);
    const after = text.slice(fields === undefined ? ends.cut : ends.own);
    return `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}${block}${after}`;
  };

  return {
    servers: () => new Map(Object.entries(servers)),
    set(name, fields) {
      const whole = rewritten(name, fields);
      const lines = spliced(name, fields);
      // Use the minimal edit only if it means the same as the library's.
      const means = (one: string): string => JSON.stringify(parseDocument(one).toJS({ maxAliasCount: 100 }));
      return lines !== undefined && parseDocument(lines).errors.length === 0 && means(lines) === means(whole)
        ? lines
        : whole;
    },
  };
}
