import { CODE } from '../protocol/errors.ts';
import type { ErrorObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';

const JSON_RPC: ReadonlySet<number> = new Set([
  CODE.parseError,
  CODE.invalidRequest,
  CODE.methodNotFound,
  CODE.invalidParams,
  CODE.internalError,
]);

/** Error codes of the modern era. */
const MODERN: ReadonlySet<number> = new Set([CODE.headerMismatch, CODE.missingCapability, CODE.unsupportedVersion]);

/**
 * An error with a code that `revision` defines or leaves to applications. A reserved code without a meaning becomes -32603 (for an unknown resource:
 * -32602 in the modern era), and so does a code that is not an integer; message and data stay. See "Error codes" of the base protocol.
 */
export function encodeError(error: ErrorObject, revision: Revision): ErrorObject {
  const code = codeIn(featuresOf(revision), error.code);
  return code === error.code ? error : { ...error, code };
}

function codeIn(features: Features, code: number): number {
  if (!Number.isSafeInteger(code)) return CODE.internalError;
  const reserved = code >= -32_768 && code <= -32_000;
  if (!reserved || JSON_RPC.has(code)) return code;
  if (code === CODE.resourceNotFound) return features.resourceNotFound;
  if (code === CODE.urlElicitationRequired) return features.elicitationId ? code : CODE.internalError;
  const modern = features.era === 'modern';
  // -32000 to -32099 was free for implementations; the modern era reserves it.
  const known = MODERN.has(code) ? modern : !modern && code >= -32_099;
  return known ? code : CODE.internalError;
}
