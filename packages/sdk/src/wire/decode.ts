import type { Implementation } from '../protocol/entities.ts';
import { PeerError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { CACHEABLE_METHODS } from '../protocol/cacheable-methods.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { Mismatch, type Report } from './shape.ts';
import { RESULTS, shownProgram } from './shapes.ts';

/** Options of `decodeResult`. */
export interface DecodeOptions {
  /** Called for list entries, and their optional members, that were left out because they are malformed. */
  readonly report?: Report;
  /** Values of `resultType` that an active extension allows besides those of the core protocol. */
  readonly resultTypes?: ReadonlySet<string>;
}

/**
 * Checks a result and returns it in the newest shape, without members that only concern its transfer: `resultType`, and caching hints if
 * the method has none. A malformed entry never hides the other entries of a list: it is left out and reported. Throws a `PeerError` that
 * names the method and the invalid member, or the unknown `resultType`.
 *
 * @example
 * ```ts
 * const { tools } = decodeResult('tools/list', result, revision, { report: (problem) => log(problem) });
 * ```
 */
export function decodeResult(
  method: string,
  result: JsonObject,
  revision: Revision,
  options: DecodeOptions = {},
): JsonObject {
  const type = typeOf(result);
  if (typeof type === 'string' && options.resultTypes?.has(type)) return result;
  if (featuresOf(revision).era === 'modern') {
    if (type === 'input_required' && ASKING_METHODS.has(method)) return result;
    if (type !== 'complete')
      throw new PeerError('invalid-answer', `The result of ${method} has an unknown resultType: ${shown(type, 60)}`);
  }
  const bare = withoutEnvelope(method, result);
  const shape = RESULTS.get(method);
  if (shape === undefined) return bare;
  try {
    return shape(bare, '', options.report ?? ignore) as JsonObject;
  } catch (error) {
    if (error instanceof Mismatch)
      throw new PeerError('invalid-answer', `The result of ${method} is malformed: ${shown(error.message, 300)}`);
    throw error;
  }
}

/** A missing `resultType` means `complete`. */
function typeOf(result: JsonObject): unknown {
  return Object.hasOwn(result, 'resultType') ? result['resultType'] : 'complete';
}

const ignore: Report = () => {};

function withoutEnvelope(method: string, result: JsonObject): JsonObject {
  const isCacheable = CACHEABLE_METHODS.has(method);
  const hasHint = !isCacheable && (Object.hasOwn(result, 'ttlMs') || Object.hasOwn(result, 'cacheScope'));
  if (!hasHint && !Object.hasOwn(result, 'resultType')) return result;
  const { resultType: _type, ...untyped } = result;
  if (!hasHint) return untyped;
  const { ttlMs: _ms, cacheScope: _scope, ...bare } = untyped;
  return bare;
}

/** Does the server need input before it can answer? (modern era) */
export function isInputRequired(result: JsonObject): boolean {
  return result['resultType'] === 'input_required';
}

/**
 * Name and version of the server that made a result: from its `_meta`, or from where `initialize` and older drafts of `server/discover`
 * have it. For display only.
 */
export function serverInfoOf(result: JsonObject): Implementation | undefined {
  return programOf(metaOf(result)[META.serverInfo]) ?? programOf(result['serverInfo']);
}

function programOf(value: unknown): Implementation | undefined {
  try {
    // Malformed optional members are left out, for example icons with unsafe sources.
    return shownProgram(value, '', ignore) as Implementation;
  } catch {
    return undefined;
  }
}
