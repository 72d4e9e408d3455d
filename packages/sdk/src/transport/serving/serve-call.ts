import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Maybe } from '../../protocol/maybe.ts';
import type { Engine } from '../../server/engine.ts';
import { errorText, responseText } from '../../wire/text.ts';
import { beginCall, type CallLimits, endCall, refuseCall } from './calls.ts';
import { failureText } from './failure.ts';
import type { RunningCall } from './running-call.ts';

/** What the calls of one peer have in common: the server, its limits, and how a method is answered. */
export interface CallScope extends CallLimits {
  readonly engine: Engine;
  /** The text of the result; undefined where the call became a subscription, which is answered when it ends. */
  answer(call: RunningCall): Maybe<string | undefined>;
}

/**
 * Serves one request of any era on any transport: refuse, run, wait, answer. Transports differ in the `CallScope` that they serve it
 * in, and in the writer of the call.
 */
export function serveCall(scope: CallScope, call: RunningCall): void {
  const refusal = refuseCall(scope, call.id);
  if (refusal !== undefined) {
    const { error, reason } = refusal;
    return call.writer.finish(errorText(call.id, error), { code: error.code, refused: reason });
  }
  let answer: Maybe<string | undefined>;
  try {
    answer = scope.answer(call);
  } catch (error) {
    return fail(scope, call, error);
  }
  // Most calls are answered at once: nothing is made to wait with.
  if (typeof answer === 'string') return complete(scope, call, answer);
  beginCall(scope, call);
  call.writer.wait(call);
  void answer!.then(
    (text) => (text === undefined ? endCall(scope, call, true) : complete(scope, call, text)),
    (error: unknown) => fail(scope, call, error),
  );
}

function complete(scope: CallScope, call: RunningCall, result: string): void {
  call.end();
  endCall(scope, call, false);
  // A client that cancelled gets no answer (Cancellation, "Behavior Requirements").
  if (call.cancelled) call.writer.drop();
  else call.writer.finish(responseText(call.id, result));
}

function fail(scope: CallScope, call: RunningCall, error: unknown): void {
  call.end();
  endCall(scope, call, false);
  if (call.cancelled) return call.writer.drop();
  const text = failureText(scope.engine, call, error, call.revision);
  return call.writer.finish(text, { code: error instanceof ProtocolError ? error.code : CODE.internalError });
}
