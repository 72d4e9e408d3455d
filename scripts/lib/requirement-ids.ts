// The requirement ids in the names of tests: `[STDIO-2]`, `[BASE-4, BASE-5]`.

import ts from 'typescript';

const bracket = /\[([A-Z]+-\d+(?:\s*,\s*[A-Z]+-\d+)*)\]/g;

/**
 * Finds the ids in the strings of one test file. Any string counts, because suites that run for every revision and transport
 * take their names from tables; comments do not count, nor does a test that is skipped or only planned.
 */
export function requirementIds(source: string, fileName = 'a.test.ts'): Set<string> {
  const ids = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isSkipped(node)) return;
    const text =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
        ? node.text
        : '';
    for (const [, list = ''] of text.matchAll(bracket)) for (const id of list.split(/\s*,\s*/)) ids.add(id);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(fileName, source, ts.ScriptTarget.ESNext, true));
  return ids;
}

function isSkipped({ expression, arguments: given }: ts.CallExpression): boolean {
  if (ts.isPropertyAccessExpression(expression) && ['skip', 'todo'].includes(expression.name.text)) return true;
  const options = given.find(ts.isObjectLiteralExpression);
  if (!options || !ts.isStringLiteralLike(given[0] ?? options)) return false;
  return options.properties.some(
    (property) =>
      ts.isPropertyAssignment(property) &&
      /^(?:skip|todo)$/.test(property.name.getText()) &&
      // A condition (no signals on this platform, say) still lets the test run somewhere.
      (property.initializer.kind === ts.SyntaxKind.TrueKeyword || ts.isStringLiteralLike(property.initializer)),
  );
}
