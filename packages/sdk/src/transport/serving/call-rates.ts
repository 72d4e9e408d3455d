import { CODE } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import { TokenBuckets } from '../../middleware/token-buckets.ts';
import type { CallRefusal, ServerCall } from './server-call.ts';

/**
 * Limits how often each caller calls tools and completes arguments, whatever middleware the server has (Tools and Completion, "Security
 * Considerations").
 */
export class CallRates {
  readonly #tools: TokenBuckets;
  readonly #completions: TokenBuckets;

  constructor({ toolCallsPerMinute, completionsPerMinute }: Limits) {
    this.#tools = new TokenBuckets(toolCallsPerMinute);
    this.#completions = new TokenBuckets(completionsPerMinute);
  }

  /** Why a call may not begin now; undefined when it may. Callers without a key are counted together. */
  refuse(call: ServerCall): CallRefusal | undefined {
    const { method } = call;
    if (method !== 'tools/call' && method !== 'completion/complete') return undefined;
    const buckets = method === 'tools/call' ? this.#tools : this.#completions;
    const retryAfterMs = buckets.take(call.quotaKey ?? '');
    if (retryAfterMs === 0) return undefined;
    const message = `Too many ${method} requests: try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
    return { reason: 'rate', error: { code: CODE.internalError, message, data: { retryAfterMs } } };
  }
}
