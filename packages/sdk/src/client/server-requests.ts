import { CODE, ProtocolError } from '../protocol/errors.ts';
import { type ErrorObject, isRequestId, type JsonObject, type Request, type RequestId } from '../protocol/jsonrpc.ts';
import { metaOf, TENON } from '../protocol/meta.ts';
import { INPUT_METHODS, methodOf } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';
import { RefusedQuestion } from './server-question.ts';
import type { ConnectionContext } from './server-connection.ts';

/** The requests of a legacy server. */
export interface ServerRequests {
  take(message: Request): void;
  /** Handles the params of `notifications/cancelled`. */
  cancel(params: JsonObject | undefined): void;
  stop(): void;
}

/** Answers a server's requests. A cancelled request gets no response. */
export function createServerRequests({
  rpc,
  agreement,
  settings,
  answerer,
  report,
}: ConnectionContext): ServerRequests {
  const running = new Map<RequestId, AbortController>();
  const refuse = (id: RequestId, code: number, message: string): void => rpc.respond(id, { error: { code, message } });

  const errorOf = (method: string, error: unknown): ErrorObject => {
    if (error instanceof RefusedQuestion) {
      report('warn', 'refused', `A request of the server was refused: ${error.message}`);
      return { code: error.code, message: error.message };
    }
    if (error instanceof ProtocolError) return error.toJSON();
    report('error', 'handler-failed', `The handler of ${method} threw an error`, error);
    return { code: CODE.internalError, message: 'The client could not answer' };
  };

  const answer = async ({ id, method, params = {} }: Request, controller: AbortController): Promise<void> => {
    const name = metaOf(params)[TENON.question];
    const question = { method, params, name: typeof name === 'string' ? name : undefined };
    const resumeTimeouts = rpc.pauseTimeouts();
    try {
      const result = await answerer.answer(question, agreement.revision, agreement.server, controller.signal);
      if (!controller.signal.aborted) rpc.respond(id, { result });
    } catch (error) {
      if (!controller.signal.aborted) rpc.respond(id, { error: errorOf(method, error) });
    } finally {
      resumeTimeouts();
      running.delete(id);
    }
  };

  return {
    take(message) {
      const { id, method } = message;
      if (method === 'ping') return rpc.respond(id, { result: {} });
      if (!INPUT_METHODS.has(method) || methodOf(agreement.revision, method) === undefined) {
        return refuse(id, CODE.methodNotFound, `Unknown method ${shown(method, 60)}`);
      }
      if (running.has(id)) return refuse(id, CODE.invalidRequest, 'A request with this id is running');
      if (running.size >= settings.limits.inFlight) return refuse(id, CODE.internalError, 'Too many requests at once');
      const controller = new AbortController();
      running.set(id, controller);
      void answer(message, controller);
    },
    cancel(params) {
      const id = params?.['requestId'];
      const controller = isRequestId(id) ? running.get(id) : undefined;
      if (controller === undefined)
        return report('debug', 'stray-cancel', 'A cancellation of an unknown request is ignored');
      const reason = params?.['reason'];
      const why = typeof reason === 'string' ? shown(reason) : 'no reason given';
      report('info', 'cancelled', `The server cancelled its request: ${why}`);
      controller.abort(why);
    },
    stop() {
      for (const controller of running.values()) controller.abort('The connection is gone');
    },
  };
}
