import { onAbort } from '../protocol/on-abort.ts';
import { abortError } from '../protocol/abort-error.ts';
import { PeerError, TimeoutError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { isInputRequired } from '../wire/decode.ts';
import { decodeInputRequired, type InputRequest } from '../wire/decode-input-required.ts';
import type { SuspendedCall } from './server-question.ts';
import { type Clock, sleep } from './clock.ts';

/** The questions and the state in a result. */
export type Round = ReturnType<typeof decodeInputRequired>;

/** Options of `answerRounds`. */
export interface RoundsOptions {
  readonly method: string;
  readonly clock: Clock;
  readonly limits: Limits;
  /** The time on the clock at which the call is given up. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Answers one question of a round. */
  answer(key: string, request: InputRequest, signal: AbortSignal, round: Round): Promise<JsonObject>;
  /** Sends the request again, with these additional params. */
  resend(answers: JsonObject): Promise<JsonObject>;
}

/** A suspended call, in a form that can be stored. */
export function suspendedCall(
  method: string,
  params: JsonObject | undefined,
  { requests, state }: Round,
): SuspendedCall {
  return {
    method: method as SuspendedCall['method'],
    params: params ?? {},
    inputRequests: Object.fromEntries(requests),
    state,
  };
}

/** The questions of a stored call. Throws a `TypeError` if it is not a suspended call, because that is not the server's fault. */
export function questionsOf(call: SuspendedCall): JsonObject {
  const { params, inputRequests, state } = call;
  const asked = { resultType: 'input_required', inputRequests, requestState: state };
  const problem = isObject(params) ? problemOf(asked) : 'its params must be an object';
  if (problem !== undefined) throw new TypeError(`This is not a suspended call: ${problem}`);
  return asked;
}

function problemOf(asked: JsonObject): string | undefined {
  try {
    decodeInputRequired(asked);
    return undefined;
  } catch (error) {
    // Removes the prefix, which blames a result of the server.
    return (error as Error).message.replace(/^[^:]*: /, '');
  }
}

/** Delay before a retry if the server asked nothing but needs more time, in milliseconds. It is doubled each time. */
const PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** How many questions one call may ask. */
const MAX_QUESTIONS = 100;

/**
 * Completes a request whose result is `input_required`: answers all questions, and sends the request again with the answers and with the
 * unchanged state, until there is a final result. See "Multi round-trip requests" of the specification.
 */
export async function answerRounds(first: JsonObject, options: RoundsOptions): Promise<JsonObject> {
  const { method, limits, clock } = options;
  let result = first;
  let pause = PAUSE_MS;
  let asked = 0;
  for (let round = 1; isInputRequired(result); round++) {
    const questions = decodeInputRequired(result);
    const { requests, state } = questions;
    asked += requests.size;
    if (round > limits.rounds)
      throw new PeerError('endless-questions', `${method} still asks for input after ${limits.rounds} rounds`);
    if (asked > MAX_QUESTIONS)
      throw new PeerError('endless-questions', `${method} asks more than ${MAX_QUESTIONS} questions`);
    const inputResponses = await withDeadline(options, async (signal) => {
      if (requests.size > 0) return answerAll(questions, options, signal);
      await sleep(clock, pause, signal);
      pause = Math.min(pause * 2, MAX_PAUSE_MS);
      return undefined;
    });
    result = await options.resend({ inputResponses, requestState: state });
  }
  return result;
}

/** Asks the user one question after the other, in the order of the server. Other questions are answered at the same time. */
async function answerAll(round: Round, options: RoundsOptions, signal: AbortSignal): Promise<JsonObject> {
  const ask = async ([key, request]: [string, InputRequest]): Promise<[string, JsonObject]> => [
    key,
    await options.answer(key, request, signal, round),
  ];
  const entries = [...round.requests];
  const forUser = entries.filter(([, { method }]) => method === 'elicitation/create');
  const others = entries.filter(([, { method }]) => method !== 'elicitation/create');
  const askUser = async (): Promise<[string, JsonObject][]> => {
    const answers: [string, JsonObject][] = [];
    for (const entry of forUser) answers.push(await ask(entry));
    return answers;
  };
  const [answers, ...rest] = await Promise.all([askUser(), ...others.map(ask)]);
  return Object.fromEntries([...answers, ...rest]);
}

/** Runs handlers, which may ignore their signal. Rejects when the deadline passes or the call is aborted. */
function withDeadline<T>(
  { clock, deadline, signal, method }: RoundsOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const fail = (error: Error): void => {
      done();
      reject(error);
      inner.abort(error);
    };
    if (signal?.aborted === true) return reject(abortError(signal));
    const timer =
      deadline === Infinity
        ? undefined
        : clock.setTimeout(
            () => fail(new TimeoutError('total-timeout', `No result of ${method} within its total time limit`)),
            Math.max(0, deadline - clock.now()),
          );
    const done = (): void => {
      clock.clearTimeout(timer);
      stopListening();
    };
    const stopListening = onAbort(signal, () => fail(abortError(signal!)));
    run(inner.signal).then(
      (value) => {
        done();
        resolve(value);
      },
      (error: Error) => {
        fail(error);
      },
    );
  });
}
