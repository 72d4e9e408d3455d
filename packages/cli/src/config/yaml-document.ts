import type { YAMLMap } from 'yaml';
import { endOfLine, type Fields, isFields, type ReadSyntax } from './document.ts';

/** The maximum number of alias expansions of a text. */
const MAX_ALIASES = 100;

/**
 * Finds the end of an entry that starts at `from` and ends at `to` at the latest: `own` is the offset after its own lines, `cut` after the
 * empty lines below them. Comments that are not indented deeper than the entry's key belong to the next entry.
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

/** Joins two parts of a text with a line break between them. */
function joined(text: string, before: string, after: string): string {
  return `${before}${before.endsWith('\n') || before === '' ? '' : endOfLine(text)}${after}`;
}

/** Loads the parser for YAML. */
export async function loadYaml(): Promise<ReadSyntax> {
  const { isMap, isNode, isScalar, parseDocument, stringify } = await import('yaml');

  /** An entry in lines, at an indentation. */
  const linesOf = (text: string, name: string, fields: Fields, indent: string): string =>
    stringify({ [name]: fields }, { lineWidth: 0 })
      .replaceAll(/^(?=.)/gm, indent)
      .replaceAll('\n', endOfLine(text));

  /** Inserts, replaces or removes an entry of a mapping in lines. `keyEnd`: where the key of the mapping ends. */
  const inBlock = (
    text: string,
    keyEnd: number,
    map: YAMLMap,
    name: string,
    fields: Fields | undefined,
  ): string | undefined => {
    const lineAt = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
    const starts = map.items.map(({ key }) => (isNode(key) ? lineAt(key.range![0]) : -1));
    if (starts.includes(-1)) return undefined;
    const index = map.items.findIndex(({ key }) => isScalar(key) && String(key.value) === name);
    const indent = /^[ ]*/.exec(text.slice(starts[0]))![0];
    // A new entry goes after the last one, at index -1.
    const start = starts.at(index)!;
    const ends = endsOf(text, start, (index === -1 ? undefined : starts[index + 1]) ?? map.range![1], indent.length);
    if (fields === undefined) {
      if (index === -1) return undefined;
      const [before, after] = [text.slice(0, start), text.slice(ends.cut)];
      if (starts.length > 1) return before + after;
      // Without its last entry a mapping would be null, and not an empty mapping.
      const colon = text.indexOf(':', keyEnd) + 1;
      return `${before.slice(0, colon)} {}${before.slice(colon)}${after}`;
    }
    const before = text.slice(0, index === -1 ? ends.own : start);
    return joined(text, before, linesOf(text, name, fields, indent) + text.slice(ends.own));
  };

  return (text, member) => {
    const document = parseDocument(text, { keepSourceTokens: true });
    if (document.errors.length > 0) throw new Error(`it is not YAML (${document.errors[0]!.message.split('\n')[0]})`);
    const data: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
    if (!isFields(data)) throw new Error('its top level is not a mapping');
    return {
      data,
      splice(name, fields) {
        const root = document.contents;
        const pair = isMap(root)
          ? root.items.find(({ key }) => isScalar(key) && String(key.value) === member)
          : undefined;
        if (pair === undefined) {
          if (fields === undefined || (root !== null && (!isMap(root) || root.flow === true))) return undefined;
          const eol = endOfLine(text);
          return joined(text, text, `${member}:${eol}${linesOf(text, name, fields, '  ')}`);
        }
        const { key, value } = pair;
        if (!isNode(key) || (value !== null && !isNode(value))) return undefined;
        if (isMap(value) && value.flow !== true && value.items.length > 0)
          return inBlock(text, key.range![1], value, name, fields);
        // Null, or an empty mapping in braces: the entry goes on the lines below.
        const isEmpty =
          value === null || (isScalar(value) && value.value === null) || (isMap(value) && value.items.length === 0);
        if (!isEmpty || fields === undefined) return undefined;
        const written = isNode(value) ? text.slice(value.range![0], value.range![1]) : '';
        const from = isNode(value) ? value.range![0] : key.range![1];
        const without = written === '' ? text : text.slice(0, from) + text.slice(from + written.length);
        const lineEnd = without.indexOf('\n', from);
        const place = lineEnd === -1 ? without.length : lineEnd + 1;
        const indent = `${/^[ ]*/.exec(text.slice(text.lastIndexOf('\n', key.range![0] - 1) + 1))![0]}  `;
        return joined(text, without.slice(0, place), linesOf(text, name, fields, indent) + without.slice(place));
      },
    };
  };
}
