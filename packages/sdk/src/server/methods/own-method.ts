import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { type Maybe, settle } from '../../protocol/maybe.ts';
import { createContext } from '../call-context.ts';
import type { Engine, RawResult } from '../engine.ts';
import { handlerFailure } from './handler-failure.ts';

/** Answers a method of the server's own. */
export function callOwnMethod(
  engine: Engine,
  params: JsonObject,
  request: RequestContext,
  method: string,
): Maybe<RawResult> {
  return settle<unknown, RawResult>(
    () => engine.of.methods.get(method)!(params, createContext(request)),
    (result = {}) => {
      if (!isObject(result)) throw failure(new TypeError('Its result is not an object'));
      return { result };
    },
    (error) => {
      throw failure(error);
    },
  );

  function failure(error: unknown): Error {
    return handlerFailure(engine, request, `The method ${method}`, error);
  }
}
