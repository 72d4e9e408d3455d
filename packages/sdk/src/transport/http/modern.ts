import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { isObject, type JsonObject, type Request } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import type { MirroredParam } from '../../wire/param-headers.ts';
import type { Claim } from '../../wire/claim.ts';
import { responseText } from '../../wire/text.ts';
import { RunningCall } from '../connection/calls.ts';
import { failureText } from '../connection/failure.ts';
import { Answer } from './answer.ts';
import type { Endpoint, Visit } from './endpoint.ts';
import { acceptedBy } from './facts-media.ts';
import { refuseToolCall, statusOf } from './ladder.ts';
import type { Refusal } from './ladder-rung.ts';
import { listen } from './listen.ts';
import { overload, refuse, sendError } from './refuse.ts';

/** Serves a request of the modern era: by itself. That its sender goes away cancels it (2026-07-28, "Cancellation"). */
export const serveModern = (endpoint: Endpoint, visit: Visit, message: Request, claim: Claim): void => {
  const { engine, around } = endpoint;
  const { request, reply, headers, principal } = visit;
  const busy = overload(endpoint);
  if (busy !== undefined) return sendError(reply, 503, busy, { ...headers, 'retry-after': '5' }, message.id);
  const accepted = acceptedBy(request.header('accept'));
  const answer = new Answer(reply, headers, accepted.stream, around);
  const { revision, capabilities, client, logLevel } = claim;
  const call = new RunningCall(message, { revision, capabilities, client, logLevel, principal }, answer);

  const failed = (error: unknown): void => {
    call.end();
    if (call.cancelled) return answer.drop();
    if (error instanceof Refused) return refuse(endpoint, reply, error.refusal, headers, message.id);
    const code = error instanceof ProtocolError ? error.code : CODE.internalError;
    answer.finish(statusOf(code, 'modern'), failureText(engine, message, error, revision));
  };
  const done = (text: string): void => {
    call.end();
    if (call.cancelled) answer.drop();
    else answer.finish(200, responseText(message.id, text));
  };

  if (message.method === 'subscriptions/listen') {
    if (!accepted.stream) {
      const error = { code: CODE.invalidRequest, message: 'Accept must list text/event-stream' };
      return sendError(reply, 406, error, headers, message.id);
    }
    answer.wait(() => call.cancel(GONE));
    return void listen(endpoint, visit, message, call, answer).catch(failed);
  }
  let result: Maybe<string>;
  try {
    result =
      message.method === 'tools/call' ? andThen(checkHeaders(endpoint, visit, message.params), () => run()) : run();
  } catch (error) {
    return failed(error);
  }
  if (typeof result === 'string') return done(result);
  answer.wait(() => call.cancel(GONE));
  endpoint.load.running++;
  void result.then(done, failed).then(() => endpoint.load.running--);

  function run(): Maybe<string> {
    return engine.answer(message.method, message.params ?? {}, call);
  }
};

const GONE = 'The client closed the connection';

/** What a call is refused with that shows one thing in its headers and another in its arguments. */
class Refused {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

const checkHeaders = (
  { mirrors, lookup }: Endpoint,
  { request, principal }: Visit,
  params: JsonObject | undefined,
): Maybe<void> => {
  const name = params?.['name'];
  if (typeof name !== 'string') return undefined;
  const args = params?.['arguments'];
  const check = (mirrored: readonly MirroredParam[]): void => {
    if (mirrored.length === 0) return;
    const call = { header: request.header, mirrored, args: isObject(args) ? args : undefined };
    const refusal = refuseToolCall(call, lookup);
    if (refusal !== undefined) throw new Refused(refusal);
  };
  return settle<readonly MirroredParam[], void>(
    () => mirrors.of(name, { principal }),
    check,
    // Whatever keeps a tool from being found, the call itself will say.
    () => undefined,
  );
};
