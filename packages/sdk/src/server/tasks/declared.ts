import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { TASKS_EXTENSION } from '../../protocol/tasks.ts';

/** Did this request declare the extension for tasks? Earlier requests never count ("Tasks", "Capability Negotiation"). */
export function declaresTasks({ capabilities }: Pick<RequestContext, 'capabilities'>): boolean {
  return capabilities.extensions?.[TASKS_EXTENSION] != null;
}

/** Throws the error for a request about tasks of a client that did not declare the extension (2026-07-28). */
export function requireTasks(request: Pick<RequestContext, 'capabilities' | 'revision'>): void {
  if (!featuresOf(request.revision).extensions || declaresTasks(request)) return;
  throw new ProtocolError(CODE.missingCapability, 'This needs a client with the extension for tasks', {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}
