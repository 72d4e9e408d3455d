import { CODE, ProtocolError, ToolError } from '../protocol/errors.ts';
import type { Exchange } from '../protocol/exchange.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Logger } from '../protocol/log.ts';
import { type Maybe, settle, then } from '../protocol/maybe.ts';
import type { Store } from '../store/store.ts';
import { encodeInputRequest } from '../wire/input.ts';
import type { CallState } from './ask/desk.ts';
import { Pause } from './ask/desk.ts';
import { createReplayDesk, type ReplayDesk } from './ask/replay.ts';
import { createWaitingDesk } from './ask/wait.ts';
import { createCallContext } from './call-context.ts';
import type { CallContext } from './context.ts';
import { digest, type Sealer } from './seal.ts';

/** What a call that may ask is conducted with. */
export interface Conductor {
  readonly sealer: Sealer;
  readonly store: Store;
  readonly limits: Limits;
  readonly log: Logger;
}

/** A call has either an answer, or questions. */
export type Outcome<T> = { readonly value: T } | { readonly requests: JsonObject; readonly state: string };

/** Names a call for the seal of its state: the tool, prompt or URI, and the arguments that were given. */
export interface CallName {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

const BAD_STATE = 'requestState is not valid for this request, or has expired. Start again without it.';

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
  if (exchange.request !== undefined) {
    return then(run(createCallContext(exchange, () => createWaitingDesk(exchange))), (value) => ({ value }));
  }
  const { requestState, inputResponses } = params;
  if (inputResponses !== undefined && !isObject(inputResponses)) throw new ProtocolError(CODE.invalidParams, '"inputResponses" must be an object');
  if (requestState === undefined) return round(conductor, exchange, call, undefined, undefined, run);
  return openState(requestState, exchange, call, conductor).then((state) => round(conductor, exchange, call, state, inputResponses, run));
};

/** One run of the handler. The desk is made when the handler turns to it: most never do. */
const round = <T>(
  conductor: Conductor,
  exchange: Exchange,
  call: CallName,
  state: CallState | undefined,
  responses: JsonObject | undefined,
  run: (ctx: CallContext) => Maybe<T>,
): Maybe<Outcome<T>> => {
  let desk: ReplayDesk | undefined;
  const open = (): ReplayDesk => (desk ??= createReplayDesk(state, responses, { store: conductor.store, lifeMs: conductor.limits.stateMs }));
  return settle<T, Outcome<T>>(
    () => run(createCallContext(exchange, open)),
    (value) => {
      if (desk !== undefined && desk.open.size > 0) throw swallowed(desk, conductor.log, undefined);
      return { value };
    },
    (error) => {
      if (desk === undefined || desk.open.size === 0) throw error;
      if (!(error instanceof Pause)) throw swallowed(desk, conductor.log, error);
      return questions(desk, exchange, call, conductor);
    },
  );
};

/** The text a seal is bound to: who, what, which arguments. Only calls that ask pay for the digest. */
const sealContext = async ({ principal }: Exchange, { method, name, args }: CallName): Promise<string> =>
  JSON.stringify(['call', principal?.id ?? null, method, name, await digest(args ?? null)]);

const openState = async (sealed: unknown, exchange: Exchange, call: CallName, { sealer, limits }: Conductor): Promise<CallState> => {
  const short = typeof sealed === 'string' && sealed.length <= limits.stateBytes;
  const state = short ? await sealer.open(sealed, await sealContext(exchange, call)) : undefined;
  if (state === undefined) throw new ProtocolError(CODE.invalidParams, BAD_STATE);
  return state as CallState;
};

const questions = async (desk: ReplayDesk, exchange: Exchange, call: CallName, { sealer, limits }: Conductor): Promise<Outcome<never>> => {
  await desk.settled();
  const requests: JsonObject = Object.create(null) as JsonObject;
  for (const { name, method, params } of desk.open.values()) {
    const encoded = encodeInputRequest(method, params, exchange.revision);
    if ('unsupported' in encoded) throw new ToolError(`'${name}' cannot be asked: ${encoded.unsupported}`);
    requests[name] = { method, params: encoded.params };
  }
  const state = await sealer.seal(desk.state(), await sealContext(exchange, call), limits.stateMs);
  if (state.length > limits.stateBytes) {
    throw new ToolError(`The answers and once() results of this call are too large to carry (${state.length} bytes, the limit is ${limits.stateBytes}). Keep large results elsewhere and return their id.`);
  }
  return { requests, state };
};

const swallowed = (desk: ReplayDesk, log: Logger, details: unknown): ProtocolError => {
  const names = [...desk.open.keys()].map((name) => `'${name}'`).join(', ');
  const message =
    `The handler caught the signal that stops it at the question ${names}, and went on. ` +
    'Look for a catch block (or Promise.allSettled) around the question, and rethrow what is not its own error.';
  log({ level: 'error', event: 'pause-swallowed', message, details });
  return new ProtocolError(CODE.internalError, message);
};
