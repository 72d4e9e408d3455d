/**
 * The contract of a server, for types only: a server value carries it so that `connect<typeof app>()` knows names, arguments and results
 * without importing the server.
 */
declare const contract: unique symbol;

/** The types of the tools, prompts, templates and methods of a server. */
export interface Contract {
  /** The input as callers write it, and the output as callers receive it, by tool name. */
  readonly tools: Record<
    string,
    {
      /** The arguments as callers write them. */
      readonly input: unknown;
      /** What `client.call` returns. */
      readonly output: unknown;
    }
  >;
  /** The arguments of each prompt, by its name. */
  readonly prompts: Record<string, PromptArguments>;
  /** The names of the variables of each resource template, by the template. */
  readonly templates: Record<string, string>;
  /** The params and the result of each method of the server's own, by its name. */
  readonly methods?: Record<
    string,
    {
      /** The params as callers write them. */
      readonly params: unknown;
      /** What `client.request` returns. */
      readonly result: unknown;
    }
  >;
  /** The params of each notification that the server handles, by its name. */
  readonly notifications?: Record<string, unknown>;
}

/** The arguments of a prompt: clients send only strings. */
export type PromptArguments = Readonly<Record<string, string>>;

/** A value that carries a contract in its type. */
export interface Contracted<C extends Contract = Contract> {
  /** Exists only for types. */
  readonly [contract]?: C;
}

/** The contract of a server value; without one, any tool may be called with any arguments. */
export type ContractOf<App> = App extends Contracted<infer C> ? C : Contract;

/** Marks a server value at run time, in all copies of this package. */
export const SERVER: unique symbol = Symbol.for('tenon.server');
