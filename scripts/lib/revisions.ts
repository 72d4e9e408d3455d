// Only `wire/` and the tables in `protocol/` may distinguish revisions. This finds code elsewhere that does:
// a revision written as a literal, or an expression named like a revision that is ordered, switched on or compared with something
// that is not a revision too (two unknown revisions may be compared: "is this the requested one?").

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { filesUnder } from './files.ts';

const date = /^20\d\d-\d\d-\d\d$/;
const named = /(?:revision|protocolVersion)$/i;
const constant = /^[A-Z][A-Z0-9_]+$/;

const { SyntaxKind } = ts;
const order = new Set([
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
]);
const equality = new Set([
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** Files that may compare revisions; the other tables of `protocol/` may name them, as data. */
function mayCompare(path: string) {
  return /^packages\/sdk\/src\/(?:wire\/|protocol\/revision\.ts)/.test(path) || path.endsWith('.test.ts');
}
function mayName(path: string) {
  return /^packages\/sdk\/src\/(?:(?:protocol|testing)\/|.*\/fixtures\/)/.test(path);
}

function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  return ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) ? nameOf(node.expression) : '';
}
function isRevision(node: ts.Node) {
  return named.test(nameOf(node)) && !ts.isTypeOfExpression(node);
}
function isNothing(node: ts.Node) {
  return node.kind === SyntaxKind.NullKeyword || nameOf(node) === 'undefined' || ts.isTypeOfExpression(node);
}

function problemOf(node: ts.Node): string | undefined {
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    const either = isRevision(left) || isRevision(right);
    const both = isRevision(left) && isRevision(right);
    if (either && order.has(operatorToken.kind)) return 'orders revisions';
    const constants = constant.test(nameOf(left)) || constant.test(nameOf(right));
    if (either && equality.has(operatorToken.kind) && (!both || constants) && !isNothing(left) && !isNothing(right)) {
      return 'compares a revision';
    }
  }
  if (ts.isSwitchStatement(node) && isRevision(node.expression)) return 'switches on a revision';
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { expression: list, name } = node.expression;
    const asks = /^(?:includes|indexOf|has)$/.test(name.text) && node.arguments.some(isRevision);
    if (asks && (ts.isArrayLiteralExpression(list) || constant.test(nameOf(list))))
      return 'looks a revision up in a list';
  }
  return undefined;
}

/** Lists the places in one file, as `line: what it does`. */
function revisionComparisons(source: string, path: string): string[] {
  if (mayCompare(path)) return [];
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const literal =
      ts.isStringLiteralLike(node) && date.test(node.text) && !mayName(path) && !ts.isLiteralTypeNode(node.parent);
    const problem = literal ? 'names a revision' : problemOf(node);
    if (problem)
      found.push(
        `${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${problem}: ${node.getText().slice(0, 80)}`,
      );
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Lists the places in the sources of the SDK under `baseDir`, as `path:line: what it does`. */
export function checkRevisions(baseDir: string): string[] {
  return filesUnder('packages/sdk/src', baseDir)
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) =>
      revisionComparisons(readFileSync(join(baseDir, path), 'utf8'), path).map((place) => `${path}:${place}`),
    );
}
