import { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { afterUnknown } from './after-unknown.ts';
import type { ConnectionContext, SeparateRequest } from './server-connection.ts';

/**
 * Sends a request, and repeats it once if it was lost although the connection is fine, and repeating it has no side effects. If the server
 * asks to try again later, it is repeated then.
 */
export function sendAndRepeat(context: ConnectionContext, request: SeparateRequest): Promise<JsonObject> {
  return request.send().catch(async (error: unknown) => {
    const { rpc, canRetry } = context;
    if (!(error instanceof ConnectionError) || rpc.broken) throw error;
    if (error.retryAfterMs !== undefined) {
      // Loaded on demand: few servers ask for it.
      const { repeatLater } = await import('./repeat-later.ts');
      return repeatLater(context, request, error, afterUnknown);
    }
    if (error.processed !== 'unknown' || !canRetry(request.method, request.params)) throw error;
    return request.send().catch((again: unknown) => {
      throw afterUnknown(again);
    });
  });
}
