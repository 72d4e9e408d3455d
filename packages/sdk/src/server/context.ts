import type { ClientAbility, ClientCapabilities } from '../protocol/capabilities.ts';
import type { Root } from '../protocol/entities.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { Meta } from '../protocol/meta.ts';
import type { Progress, SampleParams, SampleResult } from '../protocol/results.ts';
import type { InferOutput, Schema } from '../schema/schema.ts';

/** The client of a call. The client chooses its name and version itself: never base decisions on them. */
export interface ClientView {
  /** The name that the client gives itself; undefined if it gave none. */
  readonly name: string | undefined;
  /** The version that the client gives itself; undefined if it gave none. */
  readonly version: string | undefined;
  /** Did the client declare this capability? Check it before asking. */
  can(ability: ClientAbility): boolean;
  /** All that the client declared, with its `experimental` features and `extensions`. */
  readonly capabilities: ClientCapabilities;
}

/** The values that middleware added for the handler, by name. */
export type State = Readonly<Record<string, unknown>>;

/** The context that every function of a server receives besides its input. */
export interface Context<Added = State> {
  /** Aborted when the caller cancelled or disconnected. Pass it on to everything you await. */
  readonly signal: AbortSignal;
  /** The client of the call. */
  readonly client: ClientView;
  /** The caller, as verified by the transport; undefined if the transport does not authenticate. */
  readonly principal: Principal | undefined;
  /**
   * The connection or session of the call: the same object for all calls of it, also as the key of a `WeakMap` for state of one client. Up to
   * 2025-11-25 it reaches the client between calls. Undefined where each request stands alone, as over HTTP since 2026-07-28: use `principal`
   * there.
   */
  readonly session: ClientSession | undefined;
  /** The `_meta` of the request. */
  readonly _meta: Meta;
  /** The values that middleware added. They are typed in tools that name their middleware in `use`. */
  readonly state: Added;
  /** Sends a log message to the client, if the client asked for this level. Never put credentials or personal data in it. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void | Promise<void>;
  /**
   * Sends a notification of your own to the client. Throws a `TypeError` for one of the protocol, which the SDK sends itself.
   *
   * @example
   * ```ts
   * import { tool } from 'tenon';
   *
   * const rebuild = tool({}, async (_, ctx) => {
   *   await ctx.notify('notifications/acme/rebuilt', { files: 12 });
   *   return 'Done';
   * });
   * ```
   */
  readonly notify: (method: string, params?: JsonObject) => void | Promise<void>;
  /**
   * A header of the HTTP request that brought the call, by its name in any case; several values are joined with commas. Undefined if there
   * is none, on other transports, and for `authorization`, `dpop` and `cookie`: the caller is identified by `auth` and `principal`.
   */
  readonly header: (name: string) => string | undefined;
}

/**
 * A client between calls. Up to 2025-11-25 a server may send log messages, notifications of its own and questions at any time. Those sent
 * here belong to no call: over HTTP they wait until the client opens its stream. A client of 2026-07-28 gets nothing: messages are dropped,
 * and questions reject with a `ToolError`.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 *
 * const app = server({
 *   name: 'builds',
 *   notifications: {
 *     'notifications/initialized': (_, { session }) => {
 *       const timer = setInterval(() => session?.log('info', 'still building'), 60_000);
 *       session?.signal.addEventListener('abort', () => clearInterval(timer));
 *     },
 *   },
 * });
 * ```
 */
export type ClientSession = Pick<
  CallContext,
  'client' | 'principal' | 'signal' | 'log' | 'notify' | 'ask' | 'elicit' | 'visit' | 'sample' | 'roots'
>;

/** The result of `elicit`: what the user did, and the accepted answer, checked against the schema and with defaults filled in. */
export type TypedElicitResult<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' };

/**
 * The context that handlers of tools, prompts and resources receive besides their input. Every question has a name: the same name returns
 * the same answer. In the modern era the handler is stopped at a question and run again from the top with the answers so far. So `finally`
 * blocks run at every question, and side effects that must happen once belong into `once`.
 */
export interface CallContext<Added = State> extends Context<Added> {
  /**
   * Reports progress: `progress` has to increase with every report. Nothing is sent if the caller did not ask for progress.
   *
   * @example
   * ```ts
   * import { tool } from 'tenon';
   *
   * const copy = tool({}, async (_, ctx) => {
   *   for (let done = 1; done <= 10; done++) {
   *     // Copy one file.
   *     await ctx.progress({ progress: done, total: 10, message: `Copied ${done} of 10 files` });
   *   }
   * });
   * ```
   */
  readonly progress: (report: Progress) => void | Promise<void>;
  /**
   * Asks the user for data. Rejects with a `ToolError` if the user declines or cancels, which ends the call unless the handler catches it.
   * All questions reject if the client did not declare the capability: check `client.can` first.
   */
  readonly ask: <S extends Schema>(name: string, message: string, schema: S) => Promise<InferOutput<S>>;
  /**
   * Asks the user for data and returns what they did. The schema is an object of texts, numbers, booleans and choices, without nesting
   * (specification, "Elicitation"). An answer that does not match it is asked for again, at most twice.
   */
  readonly elicit: <S extends Schema>(
    name: string,
    message: string,
    schema: S,
  ) => Promise<TypedElicitResult<InferOutput<S>>>;
  /**
   * Asks the user to visit a page, for data that must not pass through the client, such as credentials (from 2025-11-25). Rejects with a
   * `TypeError` for a URL that is not http or https.
   */
  readonly visit: (
    name: string,
    message: string,
    url: string,
  ) => Promise<{
    /** Whether the user agreed to open the page. `accept` does not mean that anything was entered there. */
    readonly action: 'accept' | 'decline' | 'cancel';
    /**
     * Tells the client that the user has finished on the page (2025-11-25, `notifications/elicitation/complete`). Nothing is sent in other
     * revisions.
     */
    readonly complete: () => void | Promise<void>;
  }>;
  /** Asks the client to sample from its model. A refusal rejects with a `ToolError`, or ends the call (2026-07-28). */
  readonly sample: (name: string, params: SampleParams) => Promise<SampleResult>;
  /** The directories the client works on. They are guidance, not a security boundary. */
  readonly roots: (name: string) => Promise<Root[]>;
  /**
   * Runs an action at most once per call, also when the handler runs again; its result must be JSON. An action that throws is not repeated:
   * later runs get the same failure. If the process dies between the effect and its record, it may happen twice: pass `idempotencyKey` to the
   * service you call.
   */
  readonly once: <T>(name: string, action: () => T | Promise<T>) => Promise<T>;
  /** A random text that is the same in every run of this call, and different for every call. */
  readonly idempotencyKey: string;
}
