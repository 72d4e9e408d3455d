import type { Implementation } from '../protocol/entities.ts';
import { PeerError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { ASKING_METHODS, INPUT_METHODS } from '../protocol/methods.ts';
import { LIST_KEY } from '../protocol/results.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { type CacheHint, wholeMs } from './cache-hint.ts';
import { readImplementation } from './claim.ts';
import { isDeeper } from './depth.ts';
import { Mismatch, type Report, type Shape } from './shape.ts';
import { QUESTIONS, RESULTS } from './shapes.ts';

/** What `decodeResult` may be told. */
export interface DecodeOptions {
  /** Is told of list entries, and of their optional members, that were left out because they are malformed. */
  readonly report?: Report;
  /** Deepest nesting of a result, if it was not checked before: a list loses the entries that are deeper, another result is refused. */
  readonly depth?: number;
  /** Values of `resultType` that an extension in use allows besides those of the core. */
  readonly resultTypes?: ReadonlySet<string>;
}

/**
 * Checks a result and returns it in the newest shape. A malformed entry never hides the other entries of a list: it is left out and reported.
 * Throws a `PeerError` that says which member of which method's result is wrong, or that its `resultType` is unknown.
 *
 * @example
 * ```ts
 * const { tools } = decodeResult('tools/list', result, revision, { report: (problem) => log(problem) });
 * ```
 */
export const decodeResult = (method: string, result: JsonObject, revision: Revision, options: DecodeOptions = {}): JsonObject => {
  if (featuresOf(revision).era === 'modern') {
    const type = typeOf(result);
    if (type === 'input_required' && ASKING_METHODS.has(method)) return result;
    if (typeof type === 'string' && options.resultTypes?.has(type)) return result;
    if (type !== 'complete') throw new PeerError(`The result of ${method} has an unknown resultType: ${shown(type, 60)}`);
  }
  const { depth, report = ignore } = options;
  const shape = RESULTS.get(method);
  const bounded = depth === undefined ? result : withinDepth(method, result, depth, report);
  return shape === undefined ? bounded : applied(shape, bounded, `The result of ${method}`, report);
};

/** A missing `resultType` means `complete`. */
const typeOf = (result: JsonObject): unknown => (Object.hasOwn(result, 'resultType') ? result['resultType'] : 'complete');

const applied = (shape: Shape, value: JsonObject, what: string, report?: Report): JsonObject => {
  try {
    return shape(value, '', report) as JsonObject;
  } catch (error) {
    if (error instanceof Mismatch) throw new PeerError(`${what} is malformed: ${shown(error.message, 300)}`);
    throw error;
  }
};

const ignore: Report = () => {};

const LIST_KEYS: ReadonlyMap<string, string> = new Map(Object.entries(LIST_KEY));

const withinDepth = (method: string, result: JsonObject, depth: number, report: Report): JsonObject => {
  const key = LIST_KEYS.get(method);
  const entries = key === undefined ? undefined : result[key];
  if (key === undefined || !Array.isArray(entries)) {
    if (isDeeper(result, depth)) throw tooDeep(method, depth);
    return result;
  }
  const kept = entries.filter((entry, index) => {
    const deep = isDeeper(entry, depth - 2);
    if (deep) report(`${key}[${index}] is nested too deep`);
    return !deep;
  });
  const { [key]: _entries, ...rest } = result;
  if (isDeeper(rest, depth)) throw tooDeep(method, depth);
  return kept.length === entries.length ? result : { ...result, [key]: kept };
};

const tooDeep = (method: string, depth: number): PeerError =>
  new PeerError(`The result of ${method} is nested deeper than ${depth} levels`);

/** Does the server ask something before it can answer? (modern era) */
export const isInputRequired = (result: JsonObject): boolean => result['resultType'] === 'input_required';

/** A question inside an `input_required` result. */
export interface InputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** The questions of an `input_required` result, by their keys, and the state to send back. Throws a `PeerError` when it has neither, or a question is none. */
export const decodeInputRequired = (result: JsonObject): { requests: Map<string, InputRequest>; state: string | undefined } => {
  const { inputRequests, requestState } = result;
  if (requestState !== undefined && typeof requestState !== 'string') throw badInput('requestState must be a string');
  if (inputRequests !== undefined && !isObject(inputRequests)) throw badInput('inputRequests must be an object');
  if (inputRequests === undefined && requestState === undefined) throw badInput('it has neither inputRequests nor requestState');
  const requests = Object.entries(inputRequests ?? {}).map(([key, request]): [string, InputRequest] => {
    const where = `inputRequests.${shown(key, 60)}`;
    if (!isObject(request)) throw badInput(`${where} must be an object`);
    const { method, params = {} } = request;
    if (typeof method !== 'string' || !INPUT_METHODS.has(method)) throw badInput(`${where}.method must be one of ${[...INPUT_METHODS].join(', ')}`);
    if (!isObject(params)) throw badInput(`${where}.params must be an object`);
    return [key, { method, params }];
  });
  return { requests: new Map(requests), state: requestState };
};

/**
 * Checks the params of a question, sent as a request or inside an `input_required` result, and returns them in the newest shape:
 * an elicitation always says its `mode`. Throws a `PeerError` that names the wrong member.
 */
export const decodeInputRequest = (method: string, params: JsonObject, revision: Revision): JsonObject => {
  const shape = QUESTIONS.get(method);
  if (shape === undefined) throw new PeerError(`${shown(method, 60)} is no question to a client`);
  if (method !== 'elicitation/create') return applied(shape, params, `A ${method} request`);
  // The first revision with elicitation has forms only and no word for it.
  const mode = featuresOf(revision).elicitation === 'full' ? (params['mode'] ?? 'form') : 'form';
  return applied(shape, { ...params, mode }, `An ${method} request`);
};

const badInput = (problem: string): PeerError => new PeerError(`An input_required result is malformed: ${problem}`);

/** How long and for whom a result may be kept. Absent, negative and malformed times are 0; everything but exactly `public` is private. */
export const cacheHint = (result: JsonObject): CacheHint => {
  const { ttlMs, cacheScope } = result;
  return { ttlMs: wholeMs(ttlMs), cacheScope: cacheScope === 'public' ? 'public' : 'private' };
};

/** Name and version of the server that made a result: in its `_meta`, or where `initialize` and older drafts of `server/discover` have it. For display only. */
export const serverInfoOf = (result: JsonObject): Implementation | undefined =>
  readImplementation(metaOf(result)[META.serverInfo]) ?? readImplementation(result['serverInfo']);
