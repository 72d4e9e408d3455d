import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { metaOf } from '../protocol/meta.ts';
import type { CallAnswer, Use } from '../protocol/middleware.ts';
import { runChain, stepsFor } from '../middleware/chain.ts';
import { nameOfCall } from '../middleware/name-of-call.ts';
import type { ClientMiddleware, OutgoingCall } from './middleware.ts';
import type { Agreement, CallOptions } from './types.ts';

/** A call, and the function that sends it. */
export interface SentCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: CallOptions;
  readonly url: string | undefined;
  readonly agreement: Agreement;
  send(options: CallOptions): Promise<JsonObject>;
}

/** Runs the middleware of a client around a call, including all its requests and answers to questions. */
export async function sendThrough(use: readonly Use<ClientMiddleware>[], sent: SentCall): Promise<JsonObject> {
  const { method } = sent;
  let { options } = sent;
  const steps = stepsFor(use, method);
  if (steps.length === 0) return sent.send(options);
  const call = outgoingCall(sent);
  const answer = await runChain(steps as never, call, {
    method,
    isAnswer: (value): value is CallAnswer => value instanceof ReceivedAnswer,
    take: ({ _meta }: { readonly _meta?: JsonObject }) => {
      if (_meta !== undefined) options = { ...options, _meta: { ...options._meta, ..._meta } };
    },
    last: async () => new ReceivedAnswer(await sent.send(options)) as unknown as CallAnswer,
  });
  return answer.result;
}

/** The answer of a server. Calls with middleware only get the final result. */
class ReceivedAnswer implements Pick<CallAnswer, 'kind' | 'result' | 'failed' | 'size'> {
  readonly result: JsonObject;

  constructor(result: JsonObject) {
    this.result = result;
  }

  get kind(): CallAnswer['kind'] {
    const { resultType, task, content } = this.result;
    // In 2025-11-25 the result of a call that became a task contains the task.
    if (isObject(task) && content === undefined) return 'task';
    return resultType === 'task' || resultType === 'input_required' ? resultType : 'result';
  }

  get failed(): boolean {
    return this.result['isError'] === true;
  }

  get size(): number {
    return JSON.stringify(this.result).length;
  }
}

const NEVER = new AbortController().signal;

function outgoingCall({ method, params = {}, options, url, agreement }: SentCall): OutgoingCall {
  const { revision, server } = agreement;
  return {
    ...{ side: 'client', method, params, name: nameOfCall(method, params), revision, server, url },
    _meta: { ...metaOf(params), ...options._meta },
    signal: options.signal ?? NEVER,
    ...{ quotaKey: '', id: undefined, principal: undefined, task: undefined, asking: false },
    header: () => undefined,
    stop() {},
    answer(result) {
      if (!isObject(result)) throw new TypeError(`The answer to ${method} must be an object`);
      return new ReceivedAnswer(result) as never;
    },
  };
}
