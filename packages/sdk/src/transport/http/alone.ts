import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { CODE, ProtocolError, ToolError } from '../../protocol/errors.ts';
import type { Notification, Request, Response } from '../../protocol/jsonrpc.ts';
import type { Revision } from '../../protocol/revision.ts';
import { errorText, responseText } from '../../wire/text.ts';
import { type Caller, RunningCall } from '../connection/calls.ts';
import { failureText } from '../connection/failure.ts';
import { SESSION_METHODS } from '../connection/initialize.ts';
import { Answer } from './answer.ts';
import type { Endpoint, Visit } from './endpoint.ts';
import { acceptedBy } from './facts-media.ts';
import type { Batch } from './facts.ts';
import { eachOf } from './legacy.ts';
import { overload } from './refuse.ts';

/** Nothing is known of a client whose requests stand alone. */
const NOTHING: ClientCapabilities = {};

/** Its client has declared nothing, so nobody gets here; that there is a way to ask is what makes it a legacy call. */
const request = (method: string): Promise<never> =>
  Promise.reject(new ToolError(`${method} needs a session, and there are none here`));

/**
 * Serves a message of a legacy client where there are no sessions. Nothing can be asked of its sender. That the connection is lost
 * cancels nothing (2025-11-25, "Sending Messages to the Server").
 */
export const serveAlone = (
  endpoint: Endpoint,
  visit: Visit,
  message: Request | Notification | Response | Batch,
  revision: Revision,
): void => {
  const { around } = endpoint;
  const { reply, headers, principal } = visit;
  const answer = new Answer(reply, headers, acceptedBy(visit.request.header('accept')).stream, around);
  const caller: Caller = {
    revision,
    capabilities: NOTHING,
    client: undefined,
    principal,
    logLevel: undefined,
    request,
  };
  let answered = false;
  const done = (text: string | undefined): void => {
    answered = true;
    if (text === undefined) reply.send(202, headers ?? {});
    else answer.finish(200, text);
  };
  const run = (one: Request, take: (text: string) => void): void => {
    const busy = overload(endpoint);
    if (busy !== undefined) return take(errorText(one.id, busy));
    const call = new RunningCall(one, caller, answer);
    const over = (text: string): void => {
      call.end();
      take(text);
    };
    const failed = (error: unknown): void => over(failureText(endpoint.engine, one, error, revision));
    try {
      const result = answerOf(endpoint, one, call);
      if (typeof result === 'string') over(responseText(one.id, result));
      else {
        endpoint.load.running++;
        void result.then((text) => over(responseText(one.id, text)), failed).then(() => endpoint.load.running--);
      }
    } catch (error) {
      failed(error);
    }
  };
  if ('kind' in message) eachOf(message.items, { inUse: () => false, request: run, other() {}, done });
  else if ('method' in message && 'id' in message) run(message, done);
  else done(undefined);
  if (!answered) answer.wait(() => {});
};

const answerOf = ({ engine }: Endpoint, { method, params }: Request, call: RunningCall) => {
  if (method === 'ping') return '{}';
  if (SESSION_METHODS.has(method))
    throw new ProtocolError(CODE.methodNotFound, `${method} needs a session, and there are none here`);
  return engine.answer(method, params ?? {}, call);
};
