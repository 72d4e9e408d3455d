import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { isLater, type Maybe } from '../../protocol/maybe.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import type { Engine } from '../../server/engine.ts';
import { errorText, responseText } from '../../wire/text.ts';
import type { CallLimiter } from './call-tracker.ts';
import { failureText } from './error-texts.ts';
import type { ServerCall } from './server-call.ts';

/** Serves the calls of one peer: the server, the limits of its calls, and the way methods are answered. */
export interface CallService {
  readonly engine: Engine;
  readonly calls: CallLimiter;
  /** The text of the result; undefined if the call became a subscription, which is answered when it ends. */
  answer(call: ServerCall): Maybe<MessageText | undefined>;
}

/**
 * Serves one call of any era on any transport: refuse, run, wait, answer. Transports differ in their `CallService` and in the writer of the
 * call.
 */
export function serveCall(service: CallService, call: ServerCall): void {
  const { calls } = service;
  const refusal = calls.refuse(call);
  if (refusal !== undefined) {
    const { error, reason } = refusal;
    return call.writer.finish(errorText(call.id, error), { code: error.code, refused: reason });
  }
  let answer: Maybe<MessageText | undefined>;
  try {
    answer = service.answer(call);
  } catch (error) {
    if (call.pause === undefined) return fail(service, call, error);
    answer = Promise.reject(error as Error);
  }
  // Most calls are answered at once: no promise is created for them.
  if (answer !== undefined && !isLater(answer) && call.pause === undefined) return complete(call, answer);
  calls.begin(call);
  call.writer.wait(call);
  /** Sends the response. The call has ended only then: a server that closes waits for it. */
  const end = (send: () => void): void => {
    const { pause } = call;
    call.end();
    const ended = (): void => {
      calls.end(call, false);
      send();
    };
    if (pause === undefined || call.cancelled) ended();
    else void pause().then(ended);
  };
  void Promise.resolve(answer).then(
    (text) => {
      if (text === undefined) calls.end(call, true);
      else end(() => complete(call, text));
    },
    (error: unknown) => end(() => fail(service, call, error)),
  );
}

function complete(call: ServerCall, result: MessageText): void {
  call.end();
  // A client that cancelled gets no answer (Cancellation, "Behavior Requirements").
  if (call.cancelled) call.writer.drop();
  else call.writer.finish(responseText(call.id, result));
}

function fail({ engine }: CallService, call: ServerCall, error: unknown): void {
  call.end();
  if (call.cancelled) return call.writer.drop();
  const text = failureText(engine, call, error, call.revision);
  return call.writer.finish(text, { code: error instanceof ProtocolError ? error.code : CODE.internalError, error });
}
