import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Contract } from '../protocol/contract.ts';
import type { Implementation, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../protocol/entities.ts';
import type { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { CallToolResult, Completion, GetPromptResult, Progress, ReadResourceResult } from '../protocol/results.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import type { AskingResults, SuspendedCall } from './asked.ts';
import type { RootsOption } from './options.ts';

/** The conditions of one call. */
export interface CallOptions {
  /** Aborting rejects the call with an `AbortError` and cancels it on the wire. */
  readonly signal?: AbortSignal;
  /** Milliseconds without news. Progress counts as news, if `onProgress` is given. */
  readonly timeout?: number;
  /** Milliseconds the call may take at all, its questions to the user included. */
  readonly maxTimeout?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** More `_meta` of the request. Keys of the protocol cannot be replaced. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** The least severe log messages wanted for this call (2026-07-28). */
  readonly logLevel?: LogLevel;
}

/** The conditions of a call whose result may come from the cache. */
export interface FetchOptions extends CallOptions {
  /** Ask the server even if a result is kept. */
  readonly fresh?: boolean;
}

/** Entries of a list, page by page as they are needed. */
export interface Listing<T> extends AsyncIterable<T> {
  /** All of them. */
  all(): Promise<T[]>;
}

/** What can be watched. */
export type WatchTarget = { readonly list: 'tools' | 'prompts' | 'resources' } | { readonly uri: string };

/** A change of something that is watched. Its `uri` may be of a part of the resource. `missed`: there may have been more before. */
export type Change = WatchTarget & { readonly missed: boolean };

/** A prompt by its name, or a resource template by its text. */
export type CompletionRef = { readonly prompt: string } | { readonly template: string };

/** What is known when a value is to be completed. */
export interface CompletionInput {
  /** The name of the argument or variable. */
  readonly argument: string;
  /** What was typed so far. */
  readonly value: string;
  /** The values of other arguments that are known already. */
  readonly resolved?: Readonly<Record<string, string>> | undefined;
}

/** Changes of one thing, beginning when `watch` was called. The iteration ends with `close`, with its signal, or with the client. */
export interface Watch extends AsyncIterable<Change> {
  /** Resolves when the server watches. Rejects if it does not offer that; so does the iteration then. */
  readonly ready: Promise<void>;
  close(): void;
}

type Arguments<Input> = unknown extends Input
  ? [args?: Readonly<Record<string, unknown>>, options?: CallOptions]
  : // Where every argument is optional, so are the arguments.
    {} extends Input
    ? [args?: Input, options?: CallOptions]
    : [args: Input, options?: CallOptions];

/** What `await using` needs, for programs whose `lib` has the symbol; others are not made to have it. */
type Closable = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [K in Key]: () => Promise<void> }
  : {};

/** A connection to one server. */
export interface Client<C extends Contract = Contract> extends Closable {
  readonly revision: Revision;
  readonly era: Era;
  /** Name and version in the server's own words: for display, not for decisions. */
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  /** For the model: how the server is meant to be used. Advice of a peer. */
  readonly instructions: string | undefined;

  /**
   * Calls a tool and gives its value: the structured content if there is some, else the text if all blocks are text, else the blocks.
   * Throws a `ToolError` with the whole result when the tool failed.
   *
   * @example const { celsius } = await client.call('forecast', { city: 'Oslo' });
   */
  call<Name extends keyof C['tools'] & string>(
    name: Name,
    ...rest: Arguments<C['tools'][Name]['input']>
  ): Promise<C['tools'][Name]['output']>;
  /** Calls a tool and gives the whole result, also when the tool failed. */
  result<Name extends keyof C['tools'] & string>(
    name: Name,
    ...rest: Arguments<C['tools'][Name]['input']>
  ): Promise<CallToolResult>;

  tools(options?: FetchOptions): Listing<ToolEntry>;
  resources(options?: FetchOptions): Listing<ResourceEntry>;
  templates(options?: FetchOptions): Listing<TemplateEntry>;
  prompts(options?: FetchOptions): Listing<PromptEntry>;

  read(uri: string, options?: FetchOptions): Promise<ReadResourceResult>;
  prompt(name: string, args?: Readonly<Record<string, string>>, options?: CallOptions): Promise<GetPromptResult>;
  /**
   * Suggests values for an argument of a prompt, or for a variable of a resource template.
   *
   * @example const { values } = await client.complete({ prompt: 'review' }, { argument: 'language', value: 'py' });
   */
  complete(ref: CompletionRef, typed: CompletionInput, options?: CallOptions): Promise<Completion>;

  /**
   * Watches a list, or a resource.
   *
   * @example for await (const change of client.watch({ uri: 'config://app' })) console.log(change);
   */
  watch(what: WatchTarget, options?: { readonly signal?: AbortSignal }): Watch;

  /** Changes what `roots/list` answers, and tells the server where it may be told. */
  setRoots(roots: RootsOption): Promise<void>;
  /** Changes which log messages the server sends. */
  setLogLevel(level: LogLevel): Promise<void>;

  /**
   * Goes on with a call that waits for answers, of this client or of one before it: what it still asks is asked as always, and the
   * result is the call's. Only where the server speaks 2026-07-28; a `ConnectionError` says so elsewhere.
   *
   * @example const result = await client.resume(JSON.parse(kept) as SuspendedCall<'tools/call'>);
   */
  resume<M extends keyof AskingResults>(call: SuspendedCall<M>, options?: CallOptions): Promise<AskingResults[M]>;

  /** Sends any request, as it is, and gives the result as it came, questions of the server excepted. */
  request(method: string, params?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Resolves when the server answers. */
  ping(options?: CallOptions): Promise<void>;

  /** Ends the connection; a server process is stopped. What waits rejects. */
  close(): Promise<void>;
  /** Resolves when the client ended for good: with the reason, or undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
}

/** What a client agreed on with its server. */
export interface Agreement {
  readonly revision: Revision;
  readonly era: Era;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
