import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import type { Call, CallMiddleware } from '../protocol/middleware.ts';
import { checkPositive, refusal } from './refusal.ts';

/** Options of `concurrencyLimit`. */
export interface ConcurrencyLimitOptions {
  /** The maximum number of running calls. */
  readonly max: number;
  /** The maximum number of waiting calls, which run in order of arrival. Default 0. Runs of tasks always wait, without a limit. */
  readonly queue?: number;
  /** The key by which calls are counted together. Default: all calls are counted together. */
  readonly key?: (call: Call) => string;
}

/**
 * Limits how many calls run at the same time: others wait in the queue, or are refused when it is full. Runs of tasks are counted
 * separately from requests. A call that stopped at a question does not count as running; one that waits for the answer does.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { concurrencyLimit } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use({ 'tools/call': concurrencyLimit({ max: 4, queue: 100 }) });
 * ```
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): CallMiddleware {
  checkOptions(options, OPTIONS);
  const { max, queue = 0, key = () => '' } = options;
  checkPositive('max', max);
  if (queue !== 0) checkPositive('queue', queue);
  const lanes = new Map<string, Lane>();
  return async (call, next) => {
    // A call may become a task however many tasks are running.
    const name = `${call.task === undefined ? 'call' : 'task'} ${key(call)}`;
    const lane = lanes.get(name) ?? new Lane();
    if (lane.running >= max) {
      if (call.task === undefined && lane.waiting.size >= queue)
        throw refusal(call, `Too many calls at once: the limit is ${max}. Try again when others have ended.`);
      await lane.turn(call.signal);
    } else lane.running++;
    lanes.set(name, lane);
    try {
      return await next();
    } finally {
      lane.leave();
      if (lane.running === 0) lanes.delete(name);
    }
  };
}

const OPTIONS: KnownOptions<ConcurrencyLimitOptions> = { max: 1, queue: 1, key: 1 };

/** Calls that are counted together. When a call ends, the first waiting one takes its place. */
class Lane {
  running = 0;
  readonly waiting = new Set<() => void>();

  /** Resolves when a call may run. Rejects if it is cancelled while it waits. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      if (signal.aborted) return reject(signal.reason as Error);
      this.waiting.add(enter);
      return signal.addEventListener('abort', leave, { once: true });
    });
  }

  leave(): void {
    const [first] = this.waiting;
    if (first === undefined) this.running--;
    else {
      this.waiting.delete(first);
      first();
    }
  }
}
