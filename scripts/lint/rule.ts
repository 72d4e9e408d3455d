/** The properties of a syntax node that the rules use. The tree is ESTree with TypeScript nodes. */
export interface SyntaxNode {
  readonly type: string;
  readonly parent: SyntaxNode | null;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
}

export interface Comment {
  readonly type: string;
  readonly value: string;
  readonly loc: SyntaxNode['loc'];
}

interface RuleContext {
  readonly sourceCode: {
    getCommentsBefore(node: SyntaxNode): readonly Comment[];
    getAllComments(): readonly Comment[];
  };
  report(problem: { readonly node: SyntaxNode; readonly message: string }): void;
}

/** A rule: `create` returns the visitors by node type. */
export interface Rule {
  create(context: RuleContext): Readonly<Record<string, (node: never) => void>>;
}
