import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../protocol/maybe.ts';
import { type AdaptedSchema, adaptSchema } from '../schema/adapt.ts';
import type { InferInput, InferOutput, Schema } from '../schema/schema.ts';
import type { Context } from './context.ts';

type Awaitable<T> = T | Promise<T>;

/** The params that callers send: the input of the schema, or any object if there is none. */
type ParamsIn<S> = S extends Schema ? InferInput<S> : JsonObject;
/** The params that a handler gets. */
type ParamsOut<S> = S extends Schema ? InferOutput<S> : JsonObject;
/** The result that the handler of a method returns. */
type ResultIn<S> = S extends Schema ? InferInput<S> : object | void;
/** The result that callers receive. */
type ResultOut<S> = S extends Schema ? InferOutput<S> : JsonObject;

/** Answers a method of your own. It returns the result object, or nothing for an empty one. */
export interface MethodHandler<Params = unknown, Result = unknown> {
  (params: JsonObject, ctx: Context): Awaitable<object | void>;
  /** Exists only for types. */
  readonly types?: {
    /** The params as callers write them. */
    readonly params: Params;
    /** The result as callers get it. */
    readonly result: Result;
  };
}

/** Handles a notification of the client. */
export interface NotificationHandler<Params = unknown> {
  (params: JsonObject, ctx: Context): Awaitable<void>;
  /** Exists only for types. */
  readonly types?: {
    /** The params as callers write them. */
    readonly params: Params;
  };
}

/** The schemas of a method. */
export interface MethodOptions<P extends Schema | undefined, R extends Schema | undefined> {
  /** The schema of the params: an object. Default: any object. */
  readonly params?: P;
  /** Results are checked against this schema: an object. Default: any object. */
  readonly result?: R;
}

/**
 * Makes the handler of a method of your own, with schemas for its params and its result. Params that do not match are answered with error
 * -32602. A method without schemas needs no `method`: a plain function does.
 *
 * @example
 * ```ts
 * import { method, server } from 'tenon';
 * import { connect } from 'tenon/client';
 * import { z } from 'zod';
 *
 * const search = method(
 *   { params: z.object({ text: z.string() }), result: z.object({ hits: z.array(z.string()) }) },
 *   ({ text }) => ({ hits: [`one of ${text}`] }),
 * );
 * const app = server({ name: 'notes', methods: { 'acme/search': search } });
 *
 * await using client = await connect(app);
 * const { hits } = await client.request('acme/search', { text: 'tea' });
 * ```
 */
export function method<const P extends Schema | undefined = undefined, const R extends Schema | undefined = undefined>(
  options: MethodOptions<P, R>,
  handler: (params: ParamsOut<P>, ctx: Context) => Awaitable<ResultIn<R>>,
): MethodHandler<ParamsIn<P>, ResultOut<R>> {
  const params = options.params === undefined ? undefined : adaptSchema(options.params, 'input');
  const result = options.result === undefined ? undefined : adaptSchema(options.result, 'output');
  return (given, ctx) =>
    andThen(checked(params, given, refuseParams), (valid) =>
      andThen(handler(valid as ParamsOut<P>, ctx) as Maybe<unknown>, (returned) =>
        checked(result, returned, refuseResult),
      ),
    ) as Awaitable<object>;
}

/**
 * Makes the handler of a notification, with a schema for its params. A notification that does not match is logged and ignored. Without a
 * schema a plain function does.
 *
 * @example
 * ```ts
 * import { notification, server } from 'tenon';
 * import { z } from 'zod';
 *
 * const viewed = notification(z.object({ page: z.string() }), ({ page }) => {
 *   // Count the page.
 * });
 * const app = server({ name: 'notes', notifications: { 'notifications/acme/viewed': viewed } });
 * ```
 */
export function notification<const P extends Schema>(
  params: P,
  handler: (params: InferOutput<P>, ctx: Context) => Awaitable<void>,
): NotificationHandler<InferInput<P>> {
  const adapted = adaptSchema(params, 'input');
  return (given, ctx) =>
    andThen(checked(adapted, given, refuseParams), (valid) => handler(valid as InferOutput<P>, ctx)) as Awaitable<void>;
}

/** The value as the schema returns it. */
function checked(schema: AdaptedSchema | undefined, value: unknown, refuse: (text: string) => Error): Maybe<unknown> {
  if (schema === undefined) return value;
  return andThen(schema.check(value), async (found) => {
    if (!('issues' in found)) return found.value;
    // Loaded when the first value does not match.
    const { formatIssues } = await import('../schema/issue.ts');
    throw refuse(formatIssues(found.issues));
  });
}

function refuseParams(text: string): Error {
  return new ProtocolError(CODE.invalidParams, `Invalid params: ${text}`);
}

function refuseResult(text: string): Error {
  return new TypeError(`Its result does not match its schema: ${text}`);
}
