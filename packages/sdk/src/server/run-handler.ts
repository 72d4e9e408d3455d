import { CODE, ProtocolError } from '../protocol/errors.ts';
import type { RequestContext } from '../protocol/request-context.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../protocol/maybe.ts';
import {
  type CallTarget,
  type CallState,
  type CallDeps,
  Pause,
  type ReplayAsker,
  type Suspension,
} from './ask/asker.ts';
import { type AskAccess, createCallContext, type CallMethods, loadAsking, openWaiting } from './call-context.ts';
import type { CallContext } from './context.ts';

/** The result of a call, or the questions at which it stopped. */
export type Outcome<T> =
  | {
      readonly value: T;
      /** The questions and answers so far, in an era that replays. Undefined if nothing was asked. */
      readonly state?: CallState | undefined;
    }
  | Suspension;

/**
 * Runs a handler to its result or to its questions. Where servers may send requests, the handler waits; elsewhere it is stopped at a
 * question, and the questions are returned with all answers so far sealed in `requestState`.
 */
export function runHandler<T>(
  deps: CallDeps,
  request: RequestContext,
  params: JsonObject,
  call: CallTarget,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> {
  if (request.sendRequest !== undefined)
    return andThen(startHandler(request, waitingAccess(request), run), (value) => ({ value }));
  const { requestState, inputResponses } = params;
  if (inputResponses !== undefined && !isObject(inputResponses))
    throw new ProtocolError(CODE.invalidParams, '"inputResponses" must be an object');
  if (requestState === undefined) return runAttempt(deps, request, call, undefined, inputResponses, run);
  return loadAsking()
    .then(({ openState }) => openState(requestState, request, call, deps))
    .then((state) => runAttempt(deps, request, call, state, inputResponses, run));
}

function startHandler<T>(request: RequestContext, asking: AskAccess, run: (ctx: CallContext) => Maybe<T>): Maybe<T> {
  // The call may have been cancelled while arguments were checked or state was opened: the handler must not run then.
  if (request.cancelled) throw new ProtocolError(CODE.internalError, 'The call was cancelled before it began');
  return run(createCallContext(request, asking));
}

/** Creates the asker when the handler first asks: most never do. */
function waitingAccess(request: RequestContext): AskAccess {
  const callId = lazy(() => crypto.randomUUID());
  return { callId, open: lazy(() => openWaiting(request, callId)) };
}

/** One run of the handler, in the era that replays. */
function runAttempt<T>(
  deps: CallDeps,
  request: RequestContext,
  call: CallTarget,
  state: CallState | undefined,
  responses: JsonObject | undefined,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> {
  const attempt = new Attempt(deps, request, call, state, responses);
  return settle<T, Outcome<T>>(
    () => startHandler(request, attempt, run),
    (value) =>
      attempt.askedNothing
        ? { value }
        : andThen(attempt.finish(), (stopped) => stopped ?? { value, state: attempt.state() }),
    (error) => {
      if (attempt.askedNothing) throw error;
      return andThen(attempt.finish({ error }), (stopped) => {
        if (stopped === undefined) throw error;
        return stopped;
      });
    },
  );
}

/** One run of a handler. It is also the call's `AskAccess`: one object per call, and most calls do not use it. */
class Attempt implements AskAccess {
  readonly #deps: CallDeps;
  readonly #request: RequestContext;
  readonly #call: CallTarget;
  readonly #state: CallState | undefined;
  readonly #responses: JsonObject | undefined;
  #callId: string | undefined;
  #opening: Promise<CallMethods> | undefined;
  #asker: ReplayAsker | undefined;
  /** Failures of questions other than a pause: refused, declined, malformed. A handler may end with one while other questions are open. */
  #failures: Set<unknown> | undefined;

  constructor(
    deps: CallDeps,
    request: RequestContext,
    call: CallTarget,
    state: CallState | undefined,
    responses: JsonObject | undefined,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#call = call;
    this.#state = state;
    this.#responses = responses;
  }

  callId(): string {
    return (this.#callId ??= this.#state?.callId ?? crypto.randomUUID());
  }

  open(): Promise<CallMethods> {
    return (this.#opening ??= this.#createAsker());
  }

  failed(error: unknown): void {
    if (!(error instanceof Pause)) (this.#failures ??= new Set()).add(error);
  }

  /** Nothing was asked. */
  get askedNothing(): boolean {
    return this.#opening === undefined;
  }

  state(): CallState | undefined {
    return this.#asker?.state();
  }

  /** The handler has ended: returns its questions if it stopped at one. Throws if it should have stopped and continued. */
  async finish(failure?: { readonly error: unknown }): Promise<Suspension | undefined> {
    await this.#opening;
    const asker = this.#asker;
    if (asker === undefined || asker.open.size === 0) return undefined;
    if (failure !== undefined && this.#failures?.has(failure.error)) return undefined;
    const { suspendCall, swallowedPauseError } = await loadAsking();
    if (!(failure?.error instanceof Pause)) throw swallowedPauseError(asker, this.#deps.log, failure?.error);
    return suspendCall(asker, this.#request, this.#call, this.#deps);
  }

  async #createAsker(): Promise<CallMethods> {
    const { createReplayAsker, createQuestionMethods } = await loadAsking();
    const { store, limits, log } = this.#deps;
    const { stateMs: lifeMs, leaseMs } = limits;
    const { quotaKey, principal } = this.#request;
    const owner = quotaKey ?? principal?.id;
    const records = { store, lifeMs, leaseMs, owner, signal: () => this.#request.signal, log };
    const callId = (): string => this.callId();
    const asker = (this.#asker = createReplayAsker(this.#state, callId, this.#responses, records));
    return { asker, ...createQuestionMethods(asker, this.#request, callId) };
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
