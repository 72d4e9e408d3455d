import type { Node, ParseError } from 'jsonc-parser';
import type { Fields, ReadSyntax } from './document.ts';
import { insertMember, removeMember, replaceValue } from './json-edit.ts';

/** All members of an object with a name: more than one if the key is duplicated. */
function membersOf(object: Node | undefined, name: string): Node[] {
  return (object?.children ?? []).filter(({ children }) => children![0]!.value === name);
}

function valueOf(member: Node | undefined): Node | undefined {
  return member?.children![1];
}

/** The member of an object with a name. Rejects duplicate keys: hosts use the last one, but an edit would change one of them. */
function onlyMember(object: Node | undefined, name: string): Node | undefined {
  const [first, second] = membersOf(object, name);
  if (second !== undefined) throw new Error(`it has "${name}" twice, in the same object`);
  return first;
}

/** The data of a node. Of duplicate members the last one counts. `__proto__` is an ordinary name. */
function dataOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(dataOf);
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).map((member) => [String(member.children![0]!.value), dataOf(valueOf(member)!)]),
  );
}

/** Loads the parser for JSON with comments and trailing commas, which hosts allow. */
export async function loadJson(): Promise<ReadSyntax> {
  const { createScanner, parseTree } = await import('jsonc-parser');
  return (text, member) => {
    const whole = text.trim() === '' ? '{}\n' : text;
    const errors: ParseError[] = [];
    const root = parseTree(whole, errors, { allowTrailingComma: true });
    if (errors.length > 0 || root?.type !== 'object') {
      const at = errors[0]?.offset ?? 0;
      throw new Error(`it is not JSON (line ${whole.slice(0, at).split('\n').length})`);
    }
    const source = { text: whole, createScanner };
    return {
      data: dataOf(root) as Fields,
      splice(name, fields) {
        const place = onlyMember(root, member);
        const servers = valueOf(place);
        if (servers?.type !== 'object') {
          if (fields === undefined) return undefined;
          return servers === undefined
            ? insertMember(source, root, member, { [name]: fields })
            : replaceValue(source, servers, { [name]: fields });
        }
        const entry = onlyMember(servers, name);
        if (fields === undefined) return entry === undefined ? undefined : removeMember(source, servers, entry);
        return entry === undefined
          ? insertMember(source, servers, name, fields)
          : replaceValue(source, valueOf(entry)!, fields);
      },
    };
  };
}
