import type { CallAnswer, Call } from '../protocol/middleware.ts';
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
}

/** Continues with the next middleware, or with the handler. Its argument is added to the `ctx.state` of the handler. */
export type Next = <Added extends object = object>(added?: Added) => Promise<CallAnswer<Added>>;

/**
 * Code around the calls of a server: it may look at a call, refuse it by throwing an error, add to `ctx.state`, and change or replace the
 * answer. It returns the answer that `next()` returned.
 */
export type Middleware<Added extends object = object> = (
  call: IncomingCall,
  next: Next,
) => Awaitable<CallAnswer<Added>>;

/** The members that middlewares add to `ctx.state`. Without middleware its members are unknown. */
export type StateOf<Uses extends readonly Middleware[]> = Uses extends readonly []
  ? State
  : readonly Middleware[] extends Uses
    ? State
    : Readonly<
        (
          Uses[number] extends infer One
            ? One extends Middleware<infer Added>
              ? (added: Added) => void
              : never
            : never
        ) extends (added: infer All) => void
          ? All
          : never
      >;

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
