import { CODE, ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { encodeInputRequest } from '../../wire/input-request.ts';
import { digest } from '../../store/seal.ts';
import type { CallTarget, CallState, CallDeps, ReplayAsker, Suspension } from './asker.ts';
import type { Logger } from '../../protocol/log.ts';

const BAD_STATE = 'requestState is not valid for this request, or has expired. Start again without it.';

/** The context a seal is bound to: principal, method, name and arguments. Only calls with questions pay for the digest. */
async function sealContext({ principal }: RequestContext, { method, name, args }: CallTarget): Promise<string> {
  return JSON.stringify(['call', principal?.id ?? null, method, name, await digest(args ?? null)]);
}

/** Opens the state that the last run sealed. */
export async function openState(
  sealed: unknown,
  request: RequestContext,
  call: CallTarget,
  { sealer, limits }: CallDeps,
): Promise<CallState> {
  const short = typeof sealed === 'string' && sealed.length <= limits.stateBytes;
  const state = short ? await sealer.open(sealed, await sealContext(request, call)) : undefined;
  if (state === undefined) throw new ProtocolError(CODE.invalidParams, BAD_STATE);
  return state as CallState;
}

/** The result of a call that stopped: its questions, and the sealed state for the next run. */
export async function suspendCall(
  asker: ReplayAsker,
  request: RequestContext,
  call: CallTarget,
  { sealer, limits }: CallDeps,
): Promise<Suspension> {
  await asker.settled();
  const requests: JsonObject = Object.create(null) as JsonObject;
  for (const { name, method, params } of asker.open.values()) {
    const encoded = encodeInputRequest(method, params, request.revision);
    if ('unsupported' in encoded) throw new ToolError(`'${name}' cannot be asked: ${encoded.unsupported}`);
    requests[name] = { method, params: encoded.params };
  }
  const state = await sealer.seal(asker.state(), await sealContext(request, call), limits.stateMs);
  if (state.length > limits.stateBytes) {
    throw new ToolError(
      `The answers and once() results of this call are too large to carry (${state.length} bytes, the limit is ${limits.stateBytes}). Keep large results elsewhere and return their id.`,
    );
  }
  return { requests, state };
}

/**
 * The error for a handler that continued after a question: it caught the signal that should have stopped it, or did not await the question.
 */
export function swallowedPauseError(asker: ReplayAsker, log: Logger, details: unknown): ProtocolError {
  const names = [...asker.open.keys()].map((name) => `'${name}'`).join(', ');
  const message =
    `The handler continued after the question ${names} instead of stopping. Either it does not await the answer, ` +
    'or a catch block (or Promise.allSettled) around it caught the signal that stops the handler: rethrow errors that are not your own.';
  log({ level: 'error', event: 'pause-swallowed', message, details });
  return new ProtocolError(CODE.internalError, message);
}
