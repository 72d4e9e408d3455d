import { ProtocolError, TimeoutError, ToolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { metaOf, TENON } from '../../protocol/meta.ts';
import { encodeInputRequest } from '../../wire/input-request.ts';
import { AskLedger, checkJson } from './ask-ledger.ts';
import type { Asker } from './asker.ts';
import { type ValidateAnswer, MAX_ATTEMPTS, type Question, withReason } from './question.ts';

/** For eras in which servers may send requests: the handler waits for the answer. */
export function createWaitingAsker(request: RequestContext): Asker {
  // The context of a session in an era without requests of the server.
  if (request.sendRequest === undefined)
    throw new ToolError(`Between calls nothing can be asked in revision ${request.revision}`);
  const ledger = new AskLedger();
  return {
    answer: (question, validate) => ledger.question(question, () => askClient(request, question, validate)),
    once: (name, action) => ledger.once(name, async () => checkJson(name, await action())),
  };
}

async function askClient<T>(request: RequestContext, question: Question, validate: ValidateAnswer<T>): Promise<T> {
  let reason = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { method, params, name } = attempt === 1 ? question : withReason(question, reason);
    const meta = { ...(params['_meta'] as JsonObject | undefined), [TENON.question]: name };
    const encoded = encodeInputRequest(method, { ...params, _meta: meta }, request.revision);
    if ('unsupported' in encoded) throw new ToolError(`'${name}' cannot be asked: ${encoded.unsupported}`);
    const validated = await validate(await send(request, name, method, encoded.params));
    if ('value' in validated) return validated.value;
    reason = validated.retryReason;
  }
  throw new ToolError(`No usable answer to '${question.name}' after ${MAX_ATTEMPTS} attempts: ${reason}`);
}

/** If the client answers with an error, or not in time, the call ends with a tool error. */
async function send(request: RequestContext, name: string, method: string, params: JsonObject): Promise<JsonObject> {
  try {
    const { aroundQuestion, revision } = request;
    if (aroundQuestion === undefined) return await request.sendRequest!(method, params);
    const _meta = metaOf(params);
    return await aroundQuestion({ method, _meta, revision }, (more) =>
      request.sendRequest!(method, { ...params, _meta: { ..._meta, ...more } }),
    );
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof TimeoutError)
      throw new ToolError(`The client did not answer '${name}': ${error.message}`, { cause: error });
    throw error;
  }
}
