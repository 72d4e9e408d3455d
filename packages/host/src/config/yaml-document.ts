import type { Node, Scalar } from 'yaml';
import type { ErrorCode } from '../values/error-codes.ts';
import { ConfigError } from './config-error.ts';
import {
  type Data,
  type Document,
  collectMembers,
  MAX_DEPTH,
  type Path,
  positionAt,
  type Duplicate,
  tooDeep,
} from './document.ts';

/** Maximum nodes after the expansion of aliases, which can be nested. */
const MAX_NODES = 200_000;
/** Maximum length. It is lower than for JSON, because the parser is slow for some texts. */
const MAX_LENGTH = 256 * 1024;

/** A number that JavaScript would format differently (`0123`, `1.10`) is kept as a string, so that nothing is lost. */
function scalarOf({ value, source }: Scalar): Data {
  if (typeof value === 'number') return source === undefined || String(value) === source ? value : source;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  return String(value);
}

/** Reads YAML: one document. Throws a `ConfigError`. */
export async function parseYaml(text: string, file: string): Promise<Document> {
  if (text.length > MAX_LENGTH) {
    throw new ConfigError(
      'too-large',
      `It has more than ${MAX_LENGTH} characters. Remove what does not belong in it.`,
      {
        file,
      },
    );
  }
  const { isAlias, isMap, isScalar, isSeq, parseDocument } = await import('yaml');
  // Duplicate keys are detected here, because the check of the library takes quadratic time.
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error?.message.includes('call stack') === true) throw tooDeep(file);
  if (error !== undefined) {
    throw new ConfigError('invalid-syntax', `It is not YAML: ${error.message.replace(/\.?$/, '.')}`, {
      file,
      at: positionAt(text, error.pos[0]),
    });
  }

  const duplicates: Duplicate[] = [];
  const anchors = new Map<string, Node>();
  let nodes = 0;
  const offsetOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;
  const fail = (message: string, node: unknown, code: ErrorCode<'ConfigError'> = 'invalid-syntax'): never => {
    throw new ConfigError(code, message, { file, at: positionAt(text, offsetOf(node)) });
  };

  const nameOf = (key: unknown): string => {
    if (key === null) return '';
    return isScalar(key)
      ? (key.source ?? String(key.value))
      : fail('This name is not a string. Write a plain one.', key);
  };

  const dataOf = (node: unknown, path: Path, depth: number, aliased: boolean): Data => {
    nodes += 1;
    if (depth > MAX_DEPTH) throw tooDeep(file, positionAt(text, offsetOf(node)));
    if (nodes > MAX_NODES)
      fail('Its aliases (*name) expand to too much data. Write out what they stand for.', node, 'too-large');
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      return target === undefined
        ? fail('There is no anchor (&name) for this alias (*name) before it.', node)
        : dataOf(target, path, depth + 1, true);
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined && !aliased) {
      anchors.set(node.anchor, node);
    }
    if (isScalar(node)) return scalarOf(node);
    if (isSeq(node)) return node.items.map((item, index) => dataOf(item, [...path, index], depth + 1, aliased));
    if (!isMap(node)) return null;
    const members = node.items.map(({ key, value }) => {
      const name = nameOf(key);
      return { name, offset: offsetOf(key), data: () => dataOf(value, [...path, name], depth + 1, aliased) };
    });
    return collectMembers(members, { path, duplicates });
  };
  return { data: dataOf(document.contents, [], 0, false) ?? {}, duplicates };
}
