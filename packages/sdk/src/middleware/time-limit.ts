import type { CallAnswer, CallMiddleware } from '../protocol/middleware.ts';
import { MAX_DELAY_MS } from '../protocol/timers.ts';
import { checkPositive, refusal } from './refusal.ts';

/** In how many parts the time passes: as exactly is it known how much of it a question was open. */
const PARTS = 20;
const MIN_PART_MS = 10;

/**
 * Ends calls that take longer than `ms` milliseconds: the signal of the handler is aborted, and the model is told. A handler that ignores
 * `ctx.signal` continues, but its result is not used. Time during an open question to the client does not count. For servers; clients have
 * the option `timeout`.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { timeLimit } from 'tenon/middleware';
 *
 * const app = server({ name: 'notes' });
 * app.use({ 'tools/call': timeLimit(30_000) });
 * ```
 */
export function timeLimit(ms: number): CallMiddleware {
  checkPositive('A time limit', ms);
  if (ms > MAX_DELAY_MS) throw new TypeError(`A time limit is at most ${MAX_DELAY_MS} ms, got ${ms}`);
  return (call, next) =>
    new Promise<CallAnswer>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout>;
      let leftMs = ms;
      const wait = (): void => {
        // In parts, so that time does not count in which a question was open.
        const partMs = Math.min(leftMs, Math.max(ms / PARTS, MIN_PART_MS));
        timer = setTimeout(() => {
          if (!call.asking) leftMs -= partMs;
          if (leftMs > 0) return wait();
          const message = `The call took longer than ${ms} ms`;
          call.stop(message);
          return reject(refusal(call, message));
        }, partMs);
      };
      const end =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          settle(value);
        };
      wait();
      next().then(end(resolve), end(reject));
    });
}
