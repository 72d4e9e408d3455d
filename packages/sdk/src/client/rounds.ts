import { abortError, PeerError, TimeoutError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import { decodeInputRequired, type InputRequest, isInputRequired } from '../wire/decode.ts';
import type { SuspendedCall } from './asked.ts';
import { type Clock, sleep } from './clock.ts';

/** What a result asks. */
export type Round = ReturnType<typeof decodeInputRequired>;

/** What it takes to answer the questions inside a result. */
export interface RoundsOptions {
  readonly method: string;
  readonly clock: Clock;
  readonly limits: Limits;
  /** When the call has to be over, on the clock. */
  readonly last: number;
  readonly signal: AbortSignal | undefined;
  /** Answers one question. `asked`: the round it is in. */
  answer(key: string, request: InputRequest, signal: AbortSignal, asked: Round): Promise<JsonObject>;
  /** Sends the request again, with these members added to its params. */
  again(answers: JsonObject): Promise<JsonObject>;
}

/** The call as it can be kept. */
export const suspended = (
  method: string,
  params: JsonObject | undefined,
  { requests, state }: Round,
): SuspendedCall => ({
  method: method as SuspendedCall['method'],
  params: params ?? {},
  questions: Object.fromEntries(requests),
  state,
});

/** A server that asks nothing wants time: it gets twice as much each time. */
const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Most questions in one call. */
const QUESTIONS = 100;

/**
 * Goes through the rounds of a request that came back as `input_required`: answers everything that is asked, sends the request again with
 * the answers and with the state exactly as it came. See "Multi round-trip requests" of the specification.
 */
export const fulfil = async (first: JsonObject, options: RoundsOptions): Promise<JsonObject> => {
  const { method, limits, clock } = options;
  let result = first;
  let pause = PAUSE_MS;
  let asked = 0;
  for (let round = 1; isInputRequired(result); round++) {
    const asks = decodeInputRequired(result);
    const { requests, state } = asks;
    asked += requests.size;
    if (round > limits.rounds) throw new PeerError(`${method} still asks for input after ${limits.rounds} rounds`);
    if (asked > QUESTIONS) throw new PeerError(`${method} asks more than ${QUESTIONS} questions`);
    const inputResponses = await inTime(options, async (signal) => {
      if (requests.size > 0) return answerAll(asks, options, signal);
      await sleep(clock, pause, signal);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      return undefined;
    });
    result = await options.again({
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(state === undefined ? {} : { requestState: state }),
    });
  }
  return result;
};

/** Questions to the person come one after the other, in the order of the server; the rest needs nobody and runs beside. */
const answerAll = async (asked: Round, options: RoundsOptions, signal: AbortSignal): Promise<JsonObject> => {
  const ask = async ([key, request]: [string, InputRequest]): Promise<[string, JsonObject]> => [
    key,
    await options.answer(key, request, signal, asked),
  ];
  const entries = [...asked.requests];
  const personal = entries.filter(([, { method }]) => method === 'elicitation/create');
  const others = entries.filter(([, { method }]) => method !== 'elicitation/create');
  const oneByOne = async (): Promise<[string, JsonObject][]> => {
    const answers: [string, JsonObject][] = [];
    for (const entry of personal) answers.push(await ask(entry));
    return answers;
  };
  const [answers, ...rest] = await Promise.all([oneByOne(), ...others.map(ask)]);
  return Object.fromEntries([...answers, ...rest]);
};

/** Runs something of the user's that may ignore its signal. Rejects at the latest when the call has to be over, or is aborted. */
const inTime = <T>(
  { clock, last, signal, method }: RoundsOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const inner = new AbortController();
    const give = (error: Error): void => {
      done();
      reject(error);
      inner.abort(error);
    };
    const abort = (): void => give(abortError(signal!));
    if (signal?.aborted === true) return reject(abortError(signal));
    const timer =
      last === Infinity
        ? undefined
        : clock.setTimeout(
            () => give(new TimeoutError(`No end of ${method} in the time it may take at all`)),
            Math.min(2 ** 31 - 1, Math.max(0, last - clock.now())),
          );
    const done = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });
    run(inner.signal).then(
      (value) => {
        done();
        resolve(value);
      },
      (error: Error) => {
        give(error);
      },
    );
  });
