// What is compared: a server of `servers/`, and the published one that it replaces.

/** How a program is started for a comparison. */
export interface Start {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The service that both servers use: a stand-in, or a real engine. */
export interface Service {
  /** Where it is: `http://127.0.0.1:…` for a web API. */
  readonly url: string;
  /** Puts it back to its first state. */
  reset(): void | Promise<void>;
  stop(): void | Promise<void>;
}

export interface ComparedCall {
  /** A tool, or `resources/read` and `resources/list`. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Why the answers differ on purpose. Such a call fails if they are equal. */
  readonly otherAnswer?: string | undefined;
  /** Why the requests to the service differ on purpose. Such a call fails if they are equal. */
  readonly otherRequests?: string | undefined;
}

/** The result of a tool. Resources are in the structured content: `{ contents }`, or `{ resources }`. */
export interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
}

export interface Comparison {
  /** The folder in `servers/`; the original is `@modelcontextprotocol/server-<name>`. */
  readonly name: string;
  /** Addresses that the original cannot be told to change. Its requests to them go to the service. */
  readonly origins?: readonly string[];
  start(): Promise<Service>;
  ours(url: string): Start;
  original(url: string): Start | Promise<Start>;
  /** The calls, or a function that makes them for the address of the service. */
  readonly calls: readonly ComparedCall[] | ((url: string) => readonly ComparedCall[]);
  /** Gives the documented path for one that the service also accepts. */
  readonly rename?: (path: string, method: string) => string;
  /** The parameters of requests that may differ, by name. */
  readonly leftOutParameters?: RegExp;
  /** The fields of the original that our answers leave out, by name. */
  readonly leftOut?: RegExp;
  /** The part of our answer that corresponds to what the original answers. Default: the structured content, or else the text. */
  readonly read?: (result: Result, call: ComparedCall) => unknown;
  /** What the original answers. Default: the JSON in its text, or else the text. */
  readonly readOriginal?: (result: Result, call: ComparedCall) => unknown;
}
