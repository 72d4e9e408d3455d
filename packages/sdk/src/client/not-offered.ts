import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { methodOf } from '../protocol/methods.ts';
import { featuresOf } from '../protocol/revision.ts';
import type { Agreement } from './types.ts';

function offers(capabilities: ServerCapabilities, need: string): boolean {
  return need === 'resources.subscribe'
    ? capabilities.resources?.subscribe === true
    : capabilities[need as keyof ServerCapabilities] != null;
}

/**
 * The error for a request that is not sent because the server does not offer the feature; undefined if it may be sent.
 * A feature for which the revision has no capability may be tried.
 */
export function notOfferedError({ revision, capabilities }: Agreement, method: string): ProtocolError | undefined {
  const need = methodOf(revision, method)?.needs;
  if (need === undefined || offers(capabilities, need)) return undefined;
  if (need === 'completions' && !featuresOf(revision).completionsCapability) return undefined;
  return new ProtocolError(CODE.methodNotFound, `The server does not offer ${need}, so ${method} was not sent`);
}
