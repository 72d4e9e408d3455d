import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import type { Call, CallMiddleware } from '../protocol/middleware.ts';
import { checkPositive, refusal } from './refusal.ts';

/** How to limit calls that run at the same time. */
export interface ConcurrencyLimitOptions {
  /** How many calls may run. */
  readonly max: number;
  /** How many more may wait for their turn, in the order in which they came. Default 0. Runs of tasks always wait, however many. */
  readonly queue?: number;
  /** Under which calls are counted together. Default: all of them. */
  readonly key?: (call: Call) => string;
}

/**
 * Limits how many calls run at the same time: others wait, as many as the queue takes, or are refused. Runs of tasks are counted apart from
 * requests. A call that stops at a question does not run; where it waits for the answer it does.
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
    // A call can become a task however many tasks run.
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

/** Calls that are counted together. A call that leaves gives its place to the first that waits. */
class Lane {
  running = 0;
  readonly waiting = new Set<() => void>();

  /** Resolves when it is the turn of a call, which runs then. Rejects if it is cancelled before. */
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
