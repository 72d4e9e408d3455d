import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import { restrict } from './fields.ts';

/** Name and version of a program, without members that `revision` does not know. */
export function encodeImplementation(info: Implementation, revision: Revision): JsonObject {
  return restrict('implementation', info, revision);
}

/** The params of a client's request, as `revision` defines them. */
export function encodeParams(method: string, params: JsonObject, revision: Revision): JsonObject {
  return method === 'completion/complete' ? restrict('completeParams', params, revision) : params;
}
