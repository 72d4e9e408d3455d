import type { Rule, SyntaxNode } from './rule.ts';

interface VariableDeclaration extends SyntaxNode {
  readonly kind: string;
  readonly declarations: readonly {
    readonly id: SyntaxNode & { readonly name?: string; readonly typeAnnotation?: SyntaxNode | null };
    readonly init: SyntaxNode | null;
  }[];
}

const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression']);

function isTopLevel(node: SyntaxNode): boolean {
  const owner = node.parent?.type === 'ExportNamedDeclaration' ? node.parent.parent : node.parent;
  return owner?.type === 'Program';
}

/** A function at the top level of a module is a declaration, unless the constant has its own type annotation. */
export const topLevelFunction: Rule = {
  create(context) {
    return {
      VariableDeclaration(node: VariableDeclaration) {
        if (node.kind !== 'const' || !isTopLevel(node)) return;
        // In JavaScript, the type is in a comment before the declaration, or before its `export`.
        const statement = node.parent?.type === 'ExportNamedDeclaration' ? node.parent : node;
        if (context.sourceCode.getCommentsBefore(statement).some(({ value }) => value.includes('@type '))) return;
        for (const { id, init } of node.declarations) {
          if (init === null || !FUNCTIONS.has(init.type) || id.typeAnnotation) continue;
          context.report({ node: id, message: `Write 'function ${id.name}' instead of a constant that holds one.` });
        }
      },
    };
  },
};
