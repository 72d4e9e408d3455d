import type { ClientAbility } from '../protocol/capabilities.ts';
import type { Root } from '../protocol/entities.ts';
import type { Principal } from '../protocol/exchange.ts';
import type { LogLevel } from '../protocol/log.ts';
import type { Meta } from '../protocol/meta.ts';
import type { Progress, SampleParams, SampleResult } from '../protocol/results.ts';
import type { InferOutput, Schema } from '../schema/schema.ts';

/** What a handler knows of the client. Name and version are the client's own words: never decide by them. */
export interface ClientView {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Can the client do this? Tells before anyone is asked. */
  can(ability: ClientAbility): boolean;
}

/** What every function of a server receives besides its input. */
export interface Context {
  /** Aborted when the caller cancelled or is gone. Hand it on to what you await. */
  readonly signal: AbortSignal;
  readonly client: ClientView;
  /** Who is calling, as verified by the transport; undefined where nobody is known. */
  readonly principal: Principal | undefined;
  /**
   * Stands for the connection or session that the call came in, and for nothing else: the key of a `WeakMap` for what a server keeps for
   * one client. Undefined where requests stand alone, as they do over HTTP from 2026-07-28 on: there `principal` is what there is.
   */
  readonly session: object | undefined;
  /** The `_meta` of the request. */
  readonly _meta: Meta;
  /** Sends a log message to the client, if it wants messages of this level. Never put credentials or personal data in it. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void | Promise<void>;
}

/** The answer to `elicit`. */
export type Elicited<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' };

/**
 * What a tool, a prompt and a resource receive besides their input. Every question has a name: the same name
 * gives the same answer. In the modern era the handler is stopped at a question and run again from the top with
 * the answers so far, so `finally` blocks run at every question, and what must happen once goes into `once`.
 */
export interface CallContext extends Context {
  /**
   * Reports how far the work is. `progress` has to increase with every report. Nothing is sent when the caller did not ask for it.
   *
   * @example await ctx.progress({ progress: 3, total: 10, message: 'Copied 3 of 10 files' });
   */
  readonly progress: (report: Progress) => void | Promise<void>;
  /** Asks the user for data. Declining or cancelling ends the call with a clean tool error. */
  readonly ask: <S extends Schema>(name: string, message: string, schema: S) => Promise<InferOutput<S>>;
  /** Asks the user for data and tells what they did. */
  readonly elicit: <S extends Schema>(name: string, message: string, schema: S) => Promise<Elicited<InferOutput<S>>>;
  /** Asks the user to visit a page: for what must not pass through the client, such as credentials. */
  readonly visit: (
    name: string,
    message: string,
    url: string,
  ) => Promise<{ readonly action: 'accept' | 'decline' | 'cancel' }>;
  /** Asks the client's model. */
  readonly sample: (name: string, params: SampleParams) => Promise<SampleResult>;
  /** The directories the client works on. Guidance, not a security boundary. */
  readonly roots: (name: string) => Promise<Root[]>;
  /**
   * Does something at most once per call, also when the handler runs again; its result is JSON. If the process
   * dies between the effect and its record, it may happen twice: hand `idempotencyKey` to what you call.
   */
  readonly once: <T>(name: string, action: () => T | Promise<T>) => Promise<T>;
  /** Random and the same for every run of this call. */
  readonly idempotencyKey: string;
}
