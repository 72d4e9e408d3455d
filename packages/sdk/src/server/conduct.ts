import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../protocol/maybe.ts';
import { type CallName, type CallState, type Conductor, Pause, type ReplayDesk, type Suspended } from './ask/desk.ts';
import { type Asking, createCallContext, type Open } from './call-context.ts';
import type { CallContext } from './context.ts';

/** The result of a call, or the questions at which it stopped. */
export type Outcome<T> = { readonly value: T } | Suspended;

const load = () => import('./ask/asking.ts');

/**
 * Runs a handler to its result or to its questions. Where servers may send requests, the handler waits; elsewhere it is stopped at a
 * question, and the questions are returned with all answers so far sealed in `requestState`.
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
  if (requestState === undefined) return replay(conductor, exchange, call, undefined, inputResponses, run);
  return load()
    .then(({ openState }) => openState(requestState, exchange, call, conductor))
    .then((state) => replay(conductor, exchange, call, state, inputResponses, run));
};

const begin = <T>(exchange: Exchange, asking: Asking, run: (ctx: CallContext) => Maybe<T>): Maybe<T> => {
  // The call may have been cancelled while arguments were checked or state was opened: the handler must not run then.
  if (exchange.cancelled) throw new ProtocolError(CODE.internalError, 'The call was cancelled before it began');
  return run(createCallContext(exchange, asking));
};

/** Creates the asker when the handler first asks: most never do. */
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
const replay = <T>(
  conductor: Conductor,
  exchange: Exchange,
  call: CallName,
  state: CallState | undefined,
  responses: JsonObject | undefined,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> => {
  const round = new Round(conductor, exchange, call, state, responses);
  return settle<T, Outcome<T>>(
    () => begin(exchange, round, run),
    (value) => (round.quiet ? { value } : andThen(round.ended(), (stopped) => stopped ?? { value })),
    (error) => {
      if (round.quiet) throw error;
      return andThen(round.ended({ error }), (stopped) => {
        if (stopped === undefined) throw error;
        return stopped;
      });
    },
  );
};

/** One run of a handler. It is also the call's `Asking`: one object per call, and most calls do not use it. */
class Round implements Asking {
  readonly #conductor: Conductor;
  readonly #exchange: Exchange;
  readonly #call: CallName;
  readonly #state: CallState | undefined;
  readonly #responses: JsonObject | undefined;
  #callId: string | undefined;
  #opening: Promise<Open> | undefined;
  #desk: ReplayDesk | undefined;
  /** Failures of questions other than a pause: refused, declined, malformed. A handler may end with one while other questions are open. */
  #refusals: Set<unknown> | undefined;

  constructor(
    conductor: Conductor,
    exchange: Exchange,
    call: CallName,
    state: CallState | undefined,
    responses: JsonObject | undefined,
  ) {
    this.#conductor = conductor;
    this.#exchange = exchange;
    this.#call = call;
    this.#state = state;
    this.#responses = responses;
  }

  callId(): string {
    return (this.#callId ??= this.#state?.callId ?? crypto.randomUUID());
  }

  open(): Promise<Open> {
    return (this.#opening ??= this.#makeDesk());
  }

  failed(error: unknown): void {
    if (!(error instanceof Pause)) (this.#refusals ??= new Set()).add(error);
  }

  /** Nothing was asked. */
  get quiet(): boolean {
    return this.#opening === undefined;
  }

  /** The handler has ended: returns its questions if it stopped at one. Throws if it should have stopped and continued. */
  async ended(failure?: { readonly error: unknown }): Promise<Suspended | undefined> {
    await this.#opening;
    const desk = this.#desk;
    if (desk === undefined || desk.open.size === 0) return undefined;
    if (failure !== undefined && this.#refusals?.has(failure.error)) return undefined;
    const { questions, swallowed } = await load();
    if (!(failure?.error instanceof Pause)) throw swallowed(desk, this.#conductor.log, failure?.error);
    return questions(desk, this.#exchange, this.#call, this.#conductor);
  }

  async #makeDesk(): Promise<Open> {
    const { createReplayDesk, interactions } = await load();
    const { store, limits } = this.#conductor;
    const records = { store, lifeMs: limits.stateMs, signal: () => this.#exchange.signal };
    const callId = (): string => this.callId();
    const desk = (this.#desk = createReplayDesk(this.#state, callId, this.#responses, records));
    return { desk, ...interactions(desk, this.#exchange, callId) };
  }
}

const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};
