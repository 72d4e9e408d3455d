import { type Era, featuresOf, isRevision, type RevisionsByEra } from '../../protocol/revision.ts';
import { hasClaim } from '../../wire/claim.ts';
import type { IncomingRequest } from '../serving/message.ts';

/**
 * Determines the era of a message over HTTP. A claim in `_meta` makes it modern, whatever the headers say; without one, so does a header
 * with a modern or an unknown revision. A message that names no revision is legacy. `initialize` negotiates in its body: an unknown
 * revision in its header is ignored. A server with only one era treats every message as one of that era.
 */
export function eraOf(
  { method, meta }: Pick<IncomingRequest, 'method' | 'meta'>,
  version: string | undefined,
  { modern, legacy }: RevisionsByEra,
): Era {
  if (modern.length === 0) return 'legacy';
  if (legacy.length === 0 || hasClaim(meta)) return 'modern';
  if (version === undefined) return 'legacy';
  if (isRevision(version)) return featuresOf(version).era;
  return method === 'initialize' ? 'legacy' : 'modern';
}
