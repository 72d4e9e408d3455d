import { isObject, type JsonObject, type RequestId } from './jsonrpc.ts';
import type { Meta } from './meta.ts';
import type { Principal } from './request-context.ts';
import type { Revision } from './revision.ts';
import type { TaskOfCall } from './tasks.ts';

declare const additions: unique symbol;

/**
 * The answer to a call. Only `next()` and `call.answer(…)` create one, and a middleware has to return it, so that the compiler
 * finds a middleware that forgets to.
 */
export interface CallAnswer<Added extends object = object> {
  /**
   * `input_required`: the handler stopped at questions, and runs again from the top when they are answered (2026-07-28). `task`: the call
   * became a task, which runs on. `subscription`: it stays open until the client or the server ends it (2026-07-28).
   */
  readonly kind: 'result' | 'input_required' | 'task' | 'subscription';
  /** The result, as the revision of the call has it. It is not to be changed: `call.answer(…)` makes another one. */
  readonly result: JsonObject;
  /** Is it the result of a tool that failed (`isError`)? */
  readonly failed: boolean;
  /** The length of the result as JSON, in characters. */
  readonly size: number;
  /** Exists only for types: the members that were added to `ctx.state`. */
  readonly [additions]: Added;
}

/** A call as a middleware sees it, on the receiving or the sending side. */
export interface Call {
  /** `server`: the call is received here. `client`: it is sent from here. */
  readonly side: 'server' | 'client';
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The params as they were sent: on a server they have not been validated. */
  readonly params: JsonObject;
  /** The name of the tool or prompt, or the URI of the resource, as it was sent; undefined for other methods. */
  readonly name: string | undefined;
  /** The `_meta` of the request. */
  readonly _meta: Meta;
  /** The revision of the protocol. */
  readonly revision: Revision;
  /** Aborted when the call is cancelled or given up. */
  readonly signal: AbortSignal;
  /**
   * The key under which calls of one caller are counted: its principal, else its network or its connection. On a client it is the
   * same for all calls.
   */
  readonly quotaKey: string;
  /** The id of the request. On clients undefined: a call may need several requests. */
  readonly id: RequestId | undefined;
  /** The caller, as verified by the transport of the server; undefined if it does not authenticate, and on clients. */
  readonly principal: Principal | undefined;
  /** The task run of the call; undefined for a request. */
  readonly task: TaskOfCall | undefined;
  /** Is a question open, so that the call waits for the client? Only where questions are separate requests, and in tasks. */
  readonly asking: boolean;
  /** A header of the HTTP request that brought the call, as handlers see it. On clients always undefined. */
  readonly header: (name: string) => string | undefined;
  /** Aborts the signal of the handler, which should end then. The call is answered nevertheless. Does nothing on clients. */
  readonly stop: (reason: string) => void;
  /** Makes an answer from a result, to replace or change that of the handler. */
  readonly answer: (result: JsonObject) => CallAnswer<never>;
}

/** Middleware for all methods, or by method. */
export type Use<M> =
  | M
  | {
      /** The middleware of one method. */
      readonly [method: string]: M;
    };

/** Middleware that works on servers and clients. */
export type CallMiddleware = (call: Call, next: () => Promise<CallAnswer>) => Promise<CallAnswer>;

/** Throws a `TypeError` if an entry is not a middleware. `hasMethod`: is there such a method? */
export function checkUse(use: readonly unknown[], hasMethod: (method: string) => boolean = () => true): void {
  for (const one of use) {
    if (typeof one === 'function') continue;
    for (const [method, step] of Object.entries(isObject(one) ? one : { [String(one)]: one }))
      if (typeof step !== 'function' || !hasMethod(method))
        throw new TypeError(`'${method}' in \`use\` is neither a middleware nor a method with one`);
  }
}
