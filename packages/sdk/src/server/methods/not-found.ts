import { ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { requestedUriProblem } from '../requested-uri.ts';

const MAX_ECHOED = 10_000;

/** The error for a resource that does not exist, or that this caller may not see. `problem`: why not, if it is known. */
export function notFound(
  uri: string,
  { revision }: RequestContext,
  problem: string | undefined = requestedUriProblem(uri),
): ProtocolError {
  const why = problem === undefined ? '' : ` (${problem})`;
  return new ProtocolError(featuresOf(revision).resourceNotFound, `Resource not found: ${shown(uri, 500)}${why}`, {
    uri: uri.slice(0, MAX_ECHOED),
  });
}
