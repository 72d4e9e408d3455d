import { abortError } from '../protocol/abort-error.ts';
import { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { askedDelay, backOff } from './back-off.ts';
import { sleep } from './clock.ts';
import type { ConnectionContext, SeparateRequest } from './server-connection.ts';

/** How often a request is sent again. */
const MAX_REPEATS = 3;

/**
 * Sends a request again after the delay that the server asks for (`Retry-After`), where that is safe: it was not processed, or repeating it has
 * no side effects. Throws the server's refusal if the delay is longer than this client waits for an answer, or than five minutes.
 * `afterUnknown` marks an error as that of a call of which an earlier request may have been processed.
 */
export async function repeatLater(
  { rpc, settings: { clock }, canRetry }: ConnectionContext,
  { method, params, options, send }: SeparateRequest,
  refusal: ConnectionError,
  afterUnknown: (error: unknown) => unknown,
): Promise<JsonObject> {
  const { timeout, deadline, signal } = options;
  for (let repeat = 1; ; repeat++) {
    const { retryAfterMs, processed } = refusal;
    if (retryAfterMs === undefined || repeat > MAX_REPEATS) throw refusal;
    if (processed !== 'no' && !canRetry(method, params)) throw refusal;
    const delay = Math.max(askedDelay(retryAfterMs), backOff(repeat));
    // Sooner than asked would be useless.
    if (delay < retryAfterMs || delay > timeout || clock.now() + delay >= deadline) throw refusal;
    await sleep(clock, delay, signal).catch(() => {
      throw abortError(signal!);
    });
    if (rpc.broken) throw refusal;
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      refusal = processed === 'no' ? error : (afterUnknown(error) as ConnectionError);
    }
  }
}
