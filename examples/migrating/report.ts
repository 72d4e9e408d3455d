/** What a client sees of the shop. All clients see the same at all servers. */
export interface Report {
  readonly name: string | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly string[];
  readonly stock: { readonly structured: unknown; readonly content: unknown };
  /** The answer for an article that does not exist. */
  readonly unknown: { readonly isError: unknown; readonly content: unknown };
  readonly recount: {
    readonly content: unknown;
    readonly progress: readonly unknown[];
    readonly log: readonly unknown[];
  };
  readonly order: unknown;
  readonly slogan: unknown;
  readonly resources: readonly string[];
  readonly article: unknown;
  readonly offer: unknown;
  readonly completion: readonly string[];
}
