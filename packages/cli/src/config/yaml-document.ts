import { type Document, type Fields, isFields, notServers } from './document.ts';

/**
 * Where an entry ends whose lines go from one place to at most another: `own`, after its own lines, and `cut`, after the empty lines
 * below them. Comments that stand no deeper than its name lead what follows, and are no part of it.
 */
const endsOf = (
  text: string,
  from: number,
  to: number,
  indent: number,
): { readonly own: number; readonly cut: number } => {
  const lines = text.slice(from, to).split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line));
  const lead = lines.findIndex(
    (line, at) => at > last && line.trimStart().startsWith('#') && line.search(/\S/) <= indent,
  );
  const cut = lead === -1 ? lines : lines.slice(0, lead);
  const own = cut.slice(0, cut.findLastIndex((line) => line.trim() !== '') + 1);
  return { own: from + own.join('').length, cut: from + cut.join('').length };
};

/** Reads YAML. */
export const yamlDocument = async (text: string, member: string): Promise<Document> => {
  const { isMap, isNode, isScalar, parseDocument, stringify } = await import('yaml');
  const read = () => parseDocument(text, { keepSourceTokens: true });
  const document = read();
  if (document.errors.length > 0) throw new Error(`it is not YAML (${document.errors[0]!.message.split('\n')[0]})`);
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (!isFields(value)) throw new Error('it is not what it should be');
  const servers = (Object.hasOwn(value, member) ? value[member] : undefined) ?? {};
  if (!isFields(servers)) throw notServers(member);

  /** As the library writes it: comments may move. */
  const rewritten = (name: string, fields: Fields | undefined): string => {
    const next = read();
    const place = next.get(member, true);
    if (fields === undefined) next.deleteIn([member, name]);
    else if (isScalar(place)) {
      // The name stands there, and nothing under it.
      const map = next.createNode({ [name]: fields });
      map.commentBefore = place.comment;
      next.set(member, map);
    } else next.setIn([member, name], next.createNode(fields));
    return next.toString({ lineWidth: 0 });
  };

  /** Lines put in, or taken out, where the servers are one below the other; undefined where they are not. */
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
    // What is new comes after the last one, at -1.
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
      // Only where both mean the same.
      const means = (one: string): string => JSON.stringify(parseDocument(one).toJS({ maxAliasCount: 100 }));
      return lines !== undefined && parseDocument(lines).errors.length === 0 && means(lines) === means(whole)
        ? lines
        : whole;
    },
  };
};
