import type { Comment, Rule, SyntaxNode } from './rule.ts';

interface ObjectExpression extends SyntaxNode {
  readonly properties: readonly SyntaxNode[];
}

interface Spread extends SyntaxNode {
  readonly argument: Expression;
}

type Expression = SyntaxNode & {
  readonly operator?: string;
  readonly consequent?: Expression;
  readonly alternate?: Expression;
  readonly right?: Expression;
  readonly expression?: Expression;
  readonly name?: string;
  readonly value?: unknown;
};

/** The comment that allows one, with the reason why the member must be absent. */
const REASON = /^\s*Absent, not undefined: \S+ \S+/;

/** Whether an expression spreads members into the object, or nothing, or whether the syntax does not tell. */
function spreads(expression: Expression): ('members' | 'nothing' | 'unknown')[] {
  switch (expression.type) {
    case 'ConditionalExpression':
      return [...spreads(expression.consequent!), ...spreads(expression.alternate!)];
    case 'LogicalExpression':
      return expression.operator === '&&' ? ['nothing', ...spreads(expression.right!)] : ['unknown'];
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return spreads(expression.expression!);
    case 'ObjectExpression':
      return [(expression as unknown as ObjectExpression).properties.length === 0 ? 'nothing' : 'members'];
    case 'Identifier':
      return [expression.name === 'undefined' ? 'nothing' : 'unknown'];
    case 'Literal':
      return [expression.value === null || expression.value === false ? 'nothing' : 'unknown'];
    default:
      return ['unknown'];
  }
}

function isConditionalSpread(node: SyntaxNode): node is Spread {
  if (node.type !== 'SpreadElement') return false;
  const found = spreads((node as Spread).argument);
  return found.includes('nothing') && found.includes('members');
}

/** Whether the comment that ends on the line before contains the reason. It may have several lines. */
function hasReason(comments: ReadonlyMap<number, Comment>, line: number): boolean {
  const comment = comments.get(line - 1);
  return comment !== undefined && (REASON.test(comment.value) || hasReason(comments, line - 1));
}

/**
 * A member that may be missing is written `{ x }`, or `{ x: condition ? value : undefined }`: JSON and options treat undefined as missing.
 * Where it must be absent, the line before gives the reason: `// Absent, not undefined: <reason>`. One comment is enough for spreads that
 * follow each other.
 */
export const noConditionalSpread: Rule = {
  create(context) {
    /** The line comments, by their lines. */
    function comments(): ReadonlyMap<number, Comment> {
      const lines = context.sourceCode.getAllComments().filter(({ type }) => type === 'Line');
      return new Map(lines.map((comment) => [comment.loc.start.line, comment]));
    }
    return {
      ObjectExpression(node: ObjectExpression) {
        let allowed: SyntaxNode | undefined;
        node.properties.forEach((property, index) => {
          if (!isConditionalSpread(property)) return;
          const follows = allowed !== undefined && node.properties[index - 1] === allowed;
          if (follows || hasReason(comments(), property.loc.start.line)) allowed = property;
          else
            context.report({
              node: property,
              message:
                'Write the member as `{ x }` or `{ x: condition ? value : undefined }`. Where it must be absent, the line before gives the reason: `// Absent, not undefined: <reason>`.',
            });
        });
      },
    };
  },
};
