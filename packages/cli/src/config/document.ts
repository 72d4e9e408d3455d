import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Host } from './hosts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A configuration file, of which only what is meant is changed: comments, order and spaces of the rest stay. */
export interface Document {
  /** The servers in it, as the host writes them. */
  servers(): ReadonlyMap<string, Fields>;
  /** The text with a server set, or taken out. */
  set(name: string, fields: Fields | undefined): string;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const serversIn = (value: unknown, member: string): ReadonlyMap<string, Fields> => {
  const found = isFields(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  if (found === undefined || found === null) return new Map();
  if (!isFields(found)) throw new Error(`its "${member}" is not what it should be`);
  return new Map(Object.entries(found).filter((entry): entry is [string, Fields] => isFields(entry[1])));
};

/** What a file indents with. */
const indentOf = (text: string): { readonly insertSpaces: boolean; readonly tabSize: number } => {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return indent.startsWith('\t') ? { insertSpaces: false, tabSize: 1 } : { insertSpaces: true, tabSize: indent.length };
};

const jsonDocument = async (text: string, member: string): Promise<Document> => {
  const { applyEdits, modify, parse } = await import('jsonc-parser');
  const errors: { readonly offset: number }[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors as never, { allowTrailingComma: true });
  if (errors.length > 0 || !isFields(value)) {
    const at = errors[0]?.offset ?? 0;
    throw new Error(`it is not JSON (line ${text.slice(0, at).split('\n').length})`);
  }
  const whole = text.trim() === '' ? '{}\n' : text;
  return {
    servers: () => serversIn(value, member),
    set(name, fields) {
      const eol = text.includes('\r\n') ? '\r\n' : '\n';
      const changed = applyEdits(
        whole,
        modify(whole, [member, name], fields, { formattingOptions: { ...indentOf(text), eol } }),
      );
      return changed.endsWith('\n') ? changed : `${changed}${eol}`;
    },
  };
};

const yamlDocument = async (text: string, member: string): Promise<Document> => {
  const { isMap, isNode, parseDocument, stringify } = await import('yaml');
  const read = () => parseDocument(text, { keepSourceTokens: true });
  const document = read();
  if (document.errors.length > 0) throw new Error(`it is not YAML (${document.errors[0]!.message.split('\n')[0]})`);
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (!isFields(value)) throw new Error('it is not what it should be');

  /** As the library writes it: comments may move. */
  const rewritten = (name: string, fields: Fields | undefined): string => {
    const next = read();
    if (fields === undefined) next.deleteIn([member, name]);
    else next.setIn([member, name], next.createNode(fields));
    return next.toString({ lineWidth: 0 });
  };

  /** Lines put in, or taken out, where the servers are one below the other; undefined where they are not. */
  const spliced = (name: string, fields: Fields | undefined): string | undefined => {
    const servers = document.get(member, true);
    if (!isMap(servers) || servers.flow === true || servers.items.length === 0) return undefined;
    const lineAt = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
    const starts = servers.items.map(({ key }) => (isNode(key) ? lineAt(key.range![0]) : -1));
    const end = servers.range![1];
    const index = servers.items.findIndex(
      ({ key }) => isNode(key) && String((key as { value?: unknown }).value) === name,
    );
    const [first] = starts;
    if (first === undefined || starts.includes(-1) || (fields === undefined && starts.length === 1)) return undefined;
    const indent = /^[ ]*/.exec(text.slice(first))![0];
    const block =
      fields === undefined ? '' : stringify({ [name]: fields }, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent);
    const from = index === -1 ? end : starts[index]!;
    const to = index === -1 ? end : (starts[index + 1] ?? end);
    const before = text.slice(0, from);
    return `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}${block}${text.slice(to)}`;
  };

  return {
    servers: () => serversIn(value, member),
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

/** Reads a file of a host; one that is not there is empty. Throws an `Error` that says why it cannot be used: then it stays as it is. */
export const readDocument = async (
  path: string,
  { syntax, member }: Pick<Host, 'syntax' | 'member'>,
): Promise<Document> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const document = await (syntax === 'json' ? jsonDocument : yamlDocument)(text, member);
  document.servers();
  return document;
};

/** Replaces a file as a whole: it is either as before or as after. A link to it stays one, and its permissions stay as they are. */
export const writeDocument = async (path: string, text: string): Promise<void> => {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => undefined);
  await mkdir(dirname(target), { recursive: true });
  const next = `${target}.${randomUUID()}.tmp`;
  try {
    // There may be secrets in it.
    const file = await open(next, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (before !== undefined) await chmod(next, before.mode & 0o777);
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
};
