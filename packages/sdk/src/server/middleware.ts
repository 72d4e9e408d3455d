import type { CallAnswer, Call } from '../protocol/middleware.ts';
import type { QuestionStep, SendQuestion } from '../protocol/question-step.ts';
import type { RequestId } from '../protocol/jsonrpc.ts';
import type { Context, State } from './context.ts';

type Awaitable<T> = T | Promise<T>;

/** A call that a server received, as its middleware sees it. */
export interface IncomingCall extends Call, Context {
  /** Always `server`. */
  readonly side: 'server';
  /** The id of the request. In a run of a task the id of the task. */
  readonly id: RequestId;
  /** A header of the HTTP request that brought the call, as handlers see it. */
  readonly header: Context['header'];
  /** Runs code around each question of this call that is sent as a separate request, up to 2025-11-25. The last code is the innermost. */
  readonly aroundQuestions: (step: QuestionStep<SendQuestion>) => void;
}

/** Continues with the next middleware, or with the handler. Its argument is added to the `ctx.state` of the handler. */
export interface Next {
  /** Adds nothing. */
  (): Promise<CallAnswer>;
  /** Adds the members of an object. */
  <Added extends object>(added: Added): Promise<CallAnswer<Added>>;
}

/**
 * Code around the calls of a server: it may look at a call, refuse it by throwing an error, add to `ctx.state`, and change or replace the
 * answer. It returns the answer that `next()` returned.
 */
export type Middleware<Added extends object = object> = (
  call: IncomingCall,
  next: Next,
) => Awaitable<CallAnswer<Added>>;

/** The members that middlewares add to `ctx.state`. Without any, its members are unknown. */
export type StateOf<Uses extends readonly Middleware[]> = readonly Middleware[] extends Uses
  ? State
  : AllAdded<Uses> extends infer All
    ? keyof All extends never
      ? State
      : Readonly<All>
    : never;

/** The additions of all middlewares together. */
type AllAdded<Uses extends readonly Middleware[]> = (
  Uses[number] extends infer One ? (One extends Middleware<infer Added> ? (added: Added) => void : never) : never
) extends (added: infer All) => void
  ? All
  : never;

/**
 * Makes a middleware of a function, so that its type says what it adds to `ctx.state`. A tool that names it in `use` has these members in
 * its context.
 *
 * @example
 * ```ts
 * import { middleware, server, tool } from 'tenon';
 *
 * const withTenant = middleware((call, next) => next({ tenant: call.principal?.id ?? 'nobody' }));
 * const whose = tool({ use: [withTenant] }, (_, ctx) => `Notes of ${ctx.state.tenant}`);
 * const app = server({ name: 'notes', tools: { whose } });
 * ```
 */
export function middleware<Added extends object>(
  run: (call: IncomingCall, next: Next) => Awaitable<CallAnswer<Added>>,
): Middleware<Added> {
  return run;
}
