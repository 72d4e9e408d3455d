import type { Node, ParseError } from 'jsonc-parser';
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

/** The messages for the error codes of the parser. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a value. Strings need double quotes.',
  InvalidNumberFormat: 'this is not a number.',
  PropertyNameExpected: 'a name in double quotes is missing here.',
  ValueExpected: 'a value is missing here.',
  ColonExpected: 'a colon is missing here.',
  CommaExpected: 'a comma is missing here.',
  CloseBraceExpected: 'a } is missing here.',
  CloseBracketExpected: 'a ] is missing here.',
  EndOfFileExpected: 'there is more text after the end.',
  UnexpectedEndOfComment: 'this comment has no end.',
  UnexpectedEndOfString: 'this string has no end. Close its quotes on the same line.',
  UnexpectedEndOfNumber: 'this number has no end.',
  InvalidUnicode: 'this \\u is not followed by four hexadecimal digits.',
  InvalidEscapeCharacter: 'this escape sequence is unknown. Write \\\\ for a backslash.',
  InvalidCharacter: 'this character must be written with a backslash, like \\n or \\t.',
};

/** The token kinds that open and close a level (`SyntaxKind` of the parser is a const enum, which does not exist at run time). */
const OPENS = new Set<number>([1, 3]);
const CLOSES = new Set<number>([2, 4]);
const END = 17;

/** Reads JSON with comments and trailing commas. Throws a `ConfigError`. */
export async function parseJson(text: string, file: string): Promise<Document> {
  const { createScanner, parseTree, printParseErrorCode } = await import('jsonc-parser');

  // The parser is recursive, so the depth is checked first.
  const scanner = createScanner(text, true);
  for (let depth = 0, token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPENS.has(token)) depth += 1;
    if (CLOSES.has(token)) depth -= 1;
    if (depth > MAX_DEPTH) throw tooDeep(file, positionAt(text, scanner.getTokenOffset()));
  }

  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const reason = REASONS[printParseErrorCode(first.error)] ?? 'this cannot be read.';
    throw new ConfigError('invalid-syntax', `It is not JSON: ${reason}`, { file, at: positionAt(text, first.offset) });
  }

  const duplicates: Duplicate[] = [];
  const dataOf = (node: Node, path: Path): Data => {
    if (node.type === 'array') return (node.children ?? []).map((child, index) => dataOf(child, [...path, index]));
    if (node.type !== 'object') return node.value as Data;
    const members = (node.children ?? []).map(({ children = [] }) => {
      const [key, value] = children as [Node, Node];
      const name = String(key.value);
      return { name, offset: key.offset, data: () => dataOf(value, [...path, name]) };
    });
    return collectMembers(members, { path, duplicates });
  };
  return { data: tree === undefined ? {} : dataOf(tree, []), duplicates };
}
