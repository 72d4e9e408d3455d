import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Logger } from '../protocol/log.ts';
import { andThen, type Maybe, settle } from '../protocol/maybe.ts';
import {
  type CallName,
  type CallState,
  type Conductor,
  type Desk,
  Pause,
  type ReplayDesk,
  type Suspended,
} from './ask/desk.ts';
import { type Asking, createCallContext } from './call-context.ts';
import type { CallContext } from './context.ts';

/** A call has either an answer, or questions. */
export type Outcome<T> = { readonly value: T } | Suspended;

const load = () => import('./ask/asking.ts');

/**
 * Runs a handler to its answer or to its questions. Where the server may send requests it waits; elsewhere it is
 * stopped at a question and the questions go out, with everything answered so far sealed beside them.
 */
export const conduct = <T>(
  conductor: Conductor,
  exchange: Exchange,
  params: JsonObject,
  call: CallName,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> => {
  if (exchange.request !== undefined) return andThen(begin(exchange, waiting(exchange), run), (value) => ({ value }));
  const { requestState, inputResponses } = params;
  if (inputResponses !== undefined && !isObject(inputResponses))
    throw new ProtocolError(CODE.invalidParams, '"inputResponses" must be an object');
  if (requestState === undefined) return round(conductor, exchange, call, undefined, undefined, run);
  return load()
    .then(({ openState }) => openState(requestState, exchange, call, conductor))
    .then((state) => round(conductor, exchange, call, state, inputResponses, run));
};

const begin = <T>(exchange: Exchange, asking: Asking, run: (ctx: CallContext) => Maybe<T>): Maybe<T> => {
  // Whoever cancelled while arguments were checked or state was opened wants nothing done any more, and gets no answer.
  if (exchange.cancelled) throw new ProtocolError(CODE.internalError, 'The call was cancelled before it began');
  return run(createCallContext(exchange, asking));
};

/** Makes the desk when the handler turns to it: most never do. */
const waiting = (exchange: Exchange): Asking => {
  const callId = lazy(() => crypto.randomUUID());
  return {
    callId,
    open: lazy(async () => {
      const { createWaitingDesk, interactions } = await load();
      const desk = createWaitingDesk(exchange);
      return { desk, ...interactions(desk, exchange, callId) };
    }),
  };
};

/** One run of the handler in the era that replays. */
const round = <T>(
  conductor: Conductor,
  exchange: Exchange,
  call: CallName,
  state: CallState | undefined,
  responses: JsonObject | undefined,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> => {
  let desk: ReplayDesk | undefined;
  let opening: Promise<{ readonly desk: Desk }> | undefined;
  // What questions came to, other than a pause: refused, declined, malformed. A handler may end with it while others are open.
  let refusals: Set<unknown> | undefined;
  const callId = lazy(() => state?.callId ?? crypto.randomUUID());
  const open = lazy(async () => {
    const { createReplayDesk, interactions } = await load();
    desk = createReplayDesk(state, callId, responses, {
      store: conductor.store,
      lifeMs: conductor.limits.stateMs,
      signal: () => exchange.signal,
    });
    return { desk, ...interactions(desk, exchange, callId) };
  });
  const asking: Asking = {
    callId,
    open: () => (opening = open()),
    failed: (error) => error instanceof Pause || (refusals ??= new Set()).add(error),
  };
  /** The handler is done: did it stop at a question, or go on regardless? */
  const ended = (error: unknown, failed: boolean, answer: () => Outcome<T>): Maybe<Outcome<T>> => {
    if (opening !== undefined && desk === undefined) return opening.then(() => ended(error, failed, answer));
    if (desk === undefined || desk.open.size === 0 || (failed && refusals?.has(error))) return answer();
    if (!failed || !(error instanceof Pause)) throw swallowed(desk, conductor.log, error);
    return suspend(desk, exchange, call, conductor);
  };
  return settle<T, Outcome<T>>(
    () => begin(exchange, asking, run),
    (value) => ended(undefined, false, () => ({ value })),
    (error) =>
      ended(error, true, () => {
        throw error;
      }),
  );
};

const suspend = async (
  desk: ReplayDesk,
  exchange: Exchange,
  call: CallName,
  conductor: Conductor,
): Promise<Suspended> => (await load()).questions(desk, exchange, call, conductor);

const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const swallowed = (desk: ReplayDesk, log: Logger, details: unknown): ProtocolError => {
  const names = [...desk.open.keys()].map((name) => `'${name}'`).join(', ');
  const message =
    `The handler went on past the question ${names}, where it should have stopped. Either it does not wait for the answer, ` +
    'or a catch block (or Promise.allSettled) around it caught the signal that stops the handler: rethrow what is not your own error.';
  log({ level: 'error', event: 'pause-swallowed', message, details });
  return new ProtocolError(CODE.internalError, message);
};
