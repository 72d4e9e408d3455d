// Finds the places of a source file where one small change should make a test fail.

import ts from 'typescript';

/** One small change of a source file. */
export interface Mutant {
  /** The file, relative to the root of the repository. */
  readonly path: string;
  /** The start of the replaced range, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly text: string;
  /** The line, 1-based. */
  readonly line: number;
  /** A readable description of the change. */
  readonly change: string;
}

/** The replacement of each operator. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
]);

/** All mutants of a source text, in the order of their places. */
export function findMutants(path: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, by: string): void => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const before = text.slice(start, node.end).replaceAll(/\s+/g, ' ');
    const change = `${shorten(before)} → ${by === '' ? 'nothing' : shorten(by)}`;
    mutants.push({ path, start, end: node.end, text: by, line, change });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    for (const [part, by] of replacementsOf(node, source)) replace(part, by);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** The nodes that are replaced, with their replacements. */
function replacementsOf(node: ts.Node, source: ts.SourceFile): readonly (readonly [ts.Node, string])[] {
  if (ts.isBinaryExpression(node)) {
    const by = OPERATORS.get(node.operatorToken.kind);
    // A `+` may concatenate strings, and strings cannot be subtracted.
    const joins = [node.left, node.right].some((side) => /['"`]/.test(side.getText(source)));
    return by === undefined || (joins && /^[-+]$/.test(by)) ? [] : [[node.operatorToken, by]];
  }
  if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
    const test = ts.isIfStatement(node) ? node.expression : node.condition;
    return [[test, `!(${test.getText(source)})`]];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && !/^super\b/.test(node.getText(source)))
    return [[node, ';']];
  return [];
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
