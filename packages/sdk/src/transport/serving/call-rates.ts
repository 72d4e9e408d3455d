import { CODE } from '../../protocol/errors.ts';
import type { Limits } from '../../protocol/limits.ts';
import { TokenBuckets } from '../../middleware/token-buckets.ts';
import type { CallRefusal } from './call-tracker.ts';
import type { ServerCall } from './server-call.ts';

/**
 * Limits how often each caller calls tools and completes arguments, whatever middleware the server has (Tools and Completion, "Security
 * Considerations").
 */
export class CallRates {
  readonly #ofOnePeer: boolean;
  readonly #buckets: ReadonlyMap<string, readonly [buckets: TokenBuckets, perMinute: number]>;

  /** `ofOnePeer`: all calls are counted together. */
  constructor({ toolCallsPerMinute, completionsPerMinute }: Limits, ofOnePeer: boolean) {
    this.#ofOnePeer = ofOnePeer;
    this.#buckets = new Map([
      ['tools/call', [new TokenBuckets(toolCallsPerMinute), toolCallsPerMinute]],
      ['completion/complete', [new TokenBuckets(completionsPerMinute), completionsPerMinute]],
    ]);
  }

  /** Why a call may not begin now; undefined when it may. */
  refuse(call: ServerCall): CallRefusal | undefined {
    const { method } = call;
    const limit = this.#buckets.get(method);
    if (limit === undefined) return undefined;
    const [buckets, perMinute] = limit;
    const waitMs = buckets.take(this.#ofOnePeer ? '' : (call.quotaKey ?? ''));
    if (waitMs === 0) return undefined;
    const message = `Too many ${method} requests: the limit is ${perMinute} a minute. Try again in ${Math.ceil(waitMs / 1_000)} s.`;
    return { reason: 'rate', error: { code: CODE.internalError, message, data: { retryAfterMs: waitMs } } };
  }
}
