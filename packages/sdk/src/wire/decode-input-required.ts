import { PeerError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { INPUT_METHODS } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';

/** A request for input in an `input_required` result. */
export interface InputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * The requests for input in an `input_required` result, by their keys, and the state to send back. Throws a `PeerError` if it has neither,
 * or a request is malformed.
 */
export function decodeInputRequired(result: JsonObject): {
  requests: Map<string, InputRequest>;
  state: string | undefined;
} {
  const { inputRequests, requestState } = result;
  if (requestState !== undefined && typeof requestState !== 'string') throw badInput('requestState must be a string');
  if (inputRequests !== undefined && !isObject(inputRequests)) throw badInput('inputRequests must be an object');
  if (inputRequests === undefined && requestState === undefined)
    throw badInput('it has neither inputRequests nor requestState');
  const requests = Object.entries(inputRequests ?? {}).map(([key, request]): [string, InputRequest] => {
    const where = `inputRequests.${shown(key, 60)}`;
    if (!isObject(request)) throw badInput(`${where} must be an object`);
    const { method, params = {} } = request;
    if (typeof method !== 'string' || !INPUT_METHODS.has(method))
      throw badInput(`${where}.method must be one of ${[...INPUT_METHODS].join(', ')}`);
    if (!isObject(params)) throw badInput(`${where}.params must be an object`);
    return [key, { method, params }];
  });
  return { requests: new Map(requests), state: requestState };
}

function badInput(problem: string): PeerError {
  return new PeerError('invalid-answer', `An input_required result is malformed: ${problem}`);
}
