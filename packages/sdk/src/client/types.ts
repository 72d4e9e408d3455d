import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Contract } from '../protocol/contract.ts';
import type { Implementation, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from '../protocol/entities.ts';
import type { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { CallToolResult, Completion, GetPromptResult, Progress, ReadResourceResult } from '../protocol/results.ts';
import type { Era, Revision } from '../protocol/revision.ts';
import type { AskingResults, SuspendedCall } from './server-question.ts';
import type { RootsOption } from './options.ts';
import type { SavedTask, Task } from './tasks/task.ts';

/** Options of one call. */
export interface CallOptions {
  /** Aborting rejects the call with an `AbortError` and cancels it on the wire. */
  readonly signal?: AbortSignal;
  /** How long to wait for the response, in milliseconds. Progress restarts this time if `onProgress` is given. Default: `timeout` of the client. */
  readonly timeout?: number;
  /** How long the call may take in total, in milliseconds, including questions to the user. Default: `maxTimeout` of the client. */
  readonly maxTimeout?: number;
  /** Receives progress reports. Without it, the server is not asked for them. */
  readonly onProgress?: (progress: Progress) => void;
  /** Additional `_meta` of the request. Keys of the protocol cannot be overridden. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Minimum severity of log messages for this call (2026-07-28). */
  readonly logLevel?: LogLevel;
}

/** Options of a call whose result may come from the cache. */
export interface FetchOptions extends CallOptions {
  /** Ask the server even if there is a cached result. Default `false`. */
  readonly fresh?: boolean;
}

/** The entries of a list. Pages are fetched as iteration reaches them. */
export interface Listing<T> extends AsyncIterable<T> {
  /** All entries of all pages; rejects as the iteration throws. */
  all(): Promise<T[]>;
}

/** A watch target: a list, or a resource by its URI. */
export type WatchTarget =
  | {
      /** The name of the list. `resources` stands for the list of resources and that of templates. */
      readonly list: 'tools' | 'prompts' | 'resources';
    }
  | {
      /** The URI of the resource. */
      readonly uri: string;
    };

/**
 * A change of a watched list or resource. `uri` may name a part of the watched resource. `missed`: earlier changes may have been missed, for
 * example while the connection was down.
 */
export type Change = WatchTarget & {
  /** Earlier changes may have been missed. */
  readonly missed: boolean;
};

/** A prompt by its name, or a resource template by its URI template. */
export type CompletionRef<C extends Contract = Contract> =
  | {
      /** The name of the prompt. */
      readonly prompt: keyof C['prompts'] & string;
    }
  | {
      /** The URI template. */
      readonly template: keyof C['templates'] & string;
    };

/** The name of an argument of a prompt, or of a variable of a template. */
type ArgumentOf<C extends Contract, Ref> = Ref extends { readonly prompt: infer Name extends keyof C['prompts'] }
  ? keyof C['prompts'][Name] & string
  : Ref extends { readonly template: infer Template extends keyof C['templates'] }
    ? C['templates'][Template]
    : string;

/** The input of a completion. */
export interface CompletionInput<Argument extends string = string> {
  /** The name of the argument or variable. */
  readonly argument: Argument;
  /** Its text so far. */
  readonly value: string;
  /** Other arguments that already have a value, by name (from 2025-06-18). Default: none. */
  readonly resolved?: Readonly<Record<string, string>> | undefined;
}

/** Changes of a list or resource from the call of `watch` on. The iteration ends with `close`, with the signal of the watch, or with the client. */
export interface Watch extends AsyncIterable<Change> {
  /** Resolves when the server has confirmed the subscription. Rejects if the server does not announce such changes; the iteration then throws too. */
  readonly ready: Promise<void>;
  /** Ends the watch. The subscription ends with the last watch of the same list or resource. */
  close(): void;
}

type Arguments<Input> = unknown extends Input
  ? [args?: Readonly<Record<string, unknown>>, options?: CallOptions]
  : // If every argument is optional, `args` is optional too.
    {} extends Input
    ? [args?: Input, options?: CallOptions]
    : [args: Input, options?: CallOptions];

/** The arguments of `request`: as the contract has them for a method of the server's own; for others any params. */
type RequestArguments<C extends Contract, Name> =
  C['methods'] extends Record<Name & string, { readonly params: infer Params }>
    ? Arguments<Params>
    : [params?: JsonObject, options?: CallOptions];

/** The return type of `request`. */
type RequestResult<C extends Contract, Name> =
  C['methods'] extends Record<Name & string, { readonly result: infer Result }>
    ? unknown extends Result
      ? JsonObject
      : Result
    : JsonObject;

/** The arguments of `notify`. */
type NotifyArguments<C extends Contract, Name> =
  C['notifications'] extends Record<Name & string, infer Params> ? OptionalIfEmpty<Params> : [params?: JsonObject];

type OptionalIfEmpty<Params> = {} extends Params ? [params?: Params] : [params: Params];

/** A name of the contract, or any other string. */
type KnownOrAny<Names> = (keyof Names & string) | (string & {});

/** Support for `await using` in programs whose `lib` declares the symbol. Other programs need not declare it. */
type Closable = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [K in Key]: () => Promise<void> }
  : {};

/**
 * A connection to one server. Requests reject with a `ProtocolError` (the error that the server sent; -32601, without a request, if it does
 * not offer the feature), a `TimeoutError`, a `ConnectionError`, a `PeerError` for an invalid response, or an `AbortError`; and with a
 * `TypeError` for invalid options.
 */
export interface Client<C extends Contract = Contract> extends Closable {
  /** The agreed revision. */
  readonly revision: Revision;
  /** The era of the agreed revision. */
  readonly era: Era;
  /** The server's own name and version: for display, not for decisions. */
  readonly server: Implementation | undefined;
  /** The capabilities of the server. */
  readonly capabilities: ServerCapabilities;
  /** The server's advice to the model about using its features. Untrusted. */
  readonly instructions: string | undefined;

  /**
   * Calls a tool and returns its value: the structured content if there is any, else the text if all content blocks are text, else the
   * blocks. Structured content that is `null` beside other content counts only if the tool declares an output schema. Throws a `ToolError` with the whole result if the tool failed.
   *
   * @example
   * ```ts
   * import { server, tool } from 'tenon';
   * import { connect } from 'tenon/client';
   * import { z } from 'zod';
   *
   * const input = z.object({ city: z.string() });
   * const forecast = tool({ input, output: z.object({ celsius: z.number() }) }, () => ({ celsius: 7 }));
   * await using client = await connect(server({ name: 'weather', tools: { forecast } }));
   * const { celsius } = await client.call('forecast', { city: 'Oslo' });
   * ```
   */
  call<Name extends keyof C['tools'] & string>(
    name: Name,
    ...rest: Arguments<C['tools'][Name]['input']>
  ): Promise<C['tools'][Name]['output']>;
  /** Calls a tool and returns the whole result, even if the tool failed. */
  result<Name extends keyof C['tools'] & string>(
    name: Name,
    ...rest: Arguments<C['tools'][Name]['input']>
  ): Promise<CallToolResult>;

  /**
   * Calls a tool as a task, if the server can run it as one, and returns a handle. Otherwise the server answers at once, and the handle
   * holds that answer. Works without the option `tasks`.
   *
   * @example
   * ```ts
   * import type { Client } from 'tenon/client';
   *
   * declare const client: Client;
   * const task = await client.start('report', { year: 2026 });
   * const saved = JSON.stringify(task);
   * // Later, perhaps in another process:
   * console.log(await (await client.task(JSON.parse(saved))).value());
   * ```
   */
  start<Name extends keyof C['tools'] & string>(
    name: Name,
    ...rest: Arguments<C['tools'][Name]['input']>
  ): Promise<Task<C['tools'][Name]['output'], Name>>;
  /** A task that was stored: `JSON.stringify` of a task, parsed. Rejects with a `TypeError` for anything else. Nothing is sent. */
  task<Name extends keyof C['tools'] & string>(saved: SavedTask<Name>): Promise<Task<C['tools'][Name]['output'], Name>>;

  /**
   * The tools of the server; none if it does not offer tools. Iterating throws a `PeerError` for pages that form a loop, or are more than
   * `limits.pages`.
   */
  tools(options?: FetchOptions): Listing<ToolEntry>;
  /** The resources of the server; otherwise as `tools`. */
  resources(options?: FetchOptions): Listing<ResourceEntry>;
  /** The resource templates of the server; otherwise as `tools`. */
  templates(options?: FetchOptions): Listing<TemplateEntry>;
  /** The prompts of the server; otherwise as `tools`. */
  prompts(options?: FetchOptions): Listing<PromptEntry>;

  /** Reads a resource. Rejects with a `ProtocolError` if there is none: -32602, or -32002 from servers up to 2025-11-25. */
  read(uri: string, options?: FetchOptions): Promise<ReadResourceResult>;
  /** Gets the messages of a prompt. Rejects with a `ProtocolError` (-32602) for an unknown name or missing arguments. */
  prompt<Name extends keyof C['prompts'] & string>(
    name: Name,
    ...rest: Arguments<C['prompts'][Name]>
  ): Promise<GetPromptResult>;
  /**
   * Suggests values for an argument of a prompt, or for a variable of a resource template.
   *
   * @example
   * ```ts
   * import type { Client } from 'tenon/client';
   *
   * declare const client: Client;
   * const { values } = await client.complete({ prompt: 'review' }, { argument: 'language', value: 'py' });
   * ```
   */
  complete<Ref extends CompletionRef<C>>(
    ref: Ref,
    typed: CompletionInput<ArgumentOf<C, Ref>>,
    options?: CallOptions,
  ): Promise<Completion>;

  /**
   * Watches a list, or a resource.
   *
   * @example
   * ```ts
   * import type { Client } from 'tenon/client';
   *
   * declare const client: Client;
   * for await (const { missed } of client.watch({ uri: 'config://app' })) {
   *   console.log(missed ? 'It may have changed' : 'It has changed');
   * }
   * ```
   */
  watch(what: WatchTarget, options?: { readonly signal?: AbortSignal }): Watch;

  /** Replaces the roots, and notifies the server if the revision allows it. Throws a `TypeError` if the client was connected without `roots`. */
  setRoots(roots: RootsOption): Promise<void>;
  /** Sets the minimum severity of the log messages that the server sends. Rejects with a `TypeError` for an unknown level. */
  setLogLevel(level: LogLevel): Promise<void>;

  /**
   * Continues a call that waits for answers, of this client or an earlier one: the open questions go to the usual handlers, and the result is
   * that of the call. Needs a server of 2026-07-28, and rejects with a `ConnectionError` for any other.
   *
   * @example
   * ```ts
   * import type { Client, SuspendedCall } from 'tenon/client';
   *
   * declare const client: Client;
   * // What an `elicit` handler stored of its `context.call`.
   * declare const stored: string;
   * const { content } = await client.resume(JSON.parse(stored) as SuspendedCall<'tools/call'>);
   * ```
   */
  resume<M extends keyof AskingResults>(call: SuspendedCall<M>, options?: CallOptions): Promise<AskingResults[M]>;

  /**
   * Sends any request unchanged, such as one for a method of the server's own, and returns the unchanged result. Questions of the server are
   * answered as usual.
   */
  request<const Name extends KnownOrAny<C['methods']>>(
    method: Name,
    ...rest: RequestArguments<C, Name>
  ): Promise<RequestResult<C, Name>>;
  /** Sends any notification, in 2026-07-28 with the `_meta` of every request. Resolves when it is sent; the server does not confirm it. */
  notify<const Name extends KnownOrAny<C['notifications']>>(
    method: Name,
    ...rest: NotifyArguments<C, Name>
  ): Promise<void>;
  /** Resolves when the server answers. Rejects with a `TimeoutError` if it does not in time. */
  ping(options?: CallOptions): Promise<void>;

  /** Closes the connection and stops a server process. Pending calls reject. */
  close(): Promise<void>;
  /** Resolves when the client has ended for good: with the reason, or with undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
}

/** What client and server have negotiated. */
export interface Agreement {
  readonly revision: Revision;
  readonly era: Era;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}
