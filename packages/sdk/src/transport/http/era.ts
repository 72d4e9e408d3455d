import { type Era, featuresOf, isRevision, type RevisionsByEra } from '../../protocol/revision.ts';
import { hasClaim } from '../../wire/claim.ts';
import type { IncomingRequest } from '../serving/message.ts';

/**
 * The era of a message over HTTP. A claim in `_meta` makes it modern, whatever the headers say; without one, a header that names a modern
 * revision, or an unknown one. A message that names no revision is legacy. `initialize` negotiates in its body: an unknown revision in its
 * header means nothing. A server of one era takes every message as one of its era.
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
