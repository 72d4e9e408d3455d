import type { Node, ParseError } from 'jsonc-parser';
import { type Document, notServers } from './document.ts';

/** All values of a member in an object: more than one if the key is duplicated. */
function valuesOf(object: Node | undefined, name: string): Node[] {
  return (object?.children ?? [])
    .filter(({ children }) => children![0]!.value === name)
    .map(({ children }) => children![1]!);
}

/** Rejects duplicate keys: hosts use the last one, but an edit would change the first. */
function refuseTwice(object: Node | undefined, name: string): void {
  if (valuesOf(object, name).length > 1) throw new Error(`it has "${name}" twice, in the same object`);
}

/** The indentation that the file uses. */
function indentOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return indent.startsWith('\t') ? { insertSpaces: false, tabSize: 1 } : { insertSpaces: true, tabSize: indent.length };
}

/** Parses JSON with comments and trailing commas, which hosts allow. */
export async function jsonDocument(text: string, member: string): Promise<Document> {
  const { applyEdits, getNodeValue, modify, parseTree } = await import('jsonc-parser');
  const whole = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const root = parseTree(whole, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root?.type !== 'object') {
    const at = errors[0]?.offset ?? 0;
    throw new Error(`it is not JSON (line ${text.slice(0, at).split('\n').length})`);
  }
  const found = valuesOf(root, member).at(-1);
  const servers = found?.type === 'null' ? undefined : found;
  if (servers !== undefined && servers.type !== 'object') throw notServers(member);
  return {
    servers: () =>
      new Map(
        (servers?.children ?? []).map(({ children }): [string, unknown] => [
          String(children![0]!.value),
          getNodeValue(children![1]!),
        ]),
      ),
    set(name, fields) {
      refuseTwice(root, member);
      refuseTwice(servers, name);
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      const formattingOptions = { ...indentOf(text), eol };
      const edits =
        servers === undefined
          ? modify(whole, [member], { [name]: fields }, { formattingOptions })
          : modify(whole, [member, name], fields, { formattingOptions });
      const changed = applyEdits(whole, edits);
      return changed.endsWith('\n') ? changed : `${changed}${eol}`;
    },
  };
}
