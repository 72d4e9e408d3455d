/** What the rules use of a node of the syntax tree, which is that of ESTree with the nodes of TypeScript. */
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

/** A rule: `create` returns what is called for each node of a type. */
export interface Rule {
  create(context: RuleContext): Readonly<Record<string, (node: never) => void>>;
}
