import { formatCount } from './clip.ts';
import type { RunEnd, RunOptions } from './types.ts';

/** How a run ends, and the reason in a sentence. */
export interface Ending {
  readonly end: RunEnd;
  readonly reason?: string;
}

/** The cancellation and time limit of a run. */
export interface RunTimer {
  /** Aborts when the run is cancelled or its time limit is reached. */
  readonly signal: AbortSignal;
  readonly ending: () => Ending | undefined;
  /** Stops the timer, and aborts everything that is still in progress. */
  readonly stop: () => void;
}

/** Watches the signal and the time limit of a run. */
export function startRunTimer({ signal, budget: { totalMs } = {} }: Pick<RunOptions, 'signal' | 'budget'>): RunTimer {
  const controller = new AbortController();
  let ending: Ending | undefined;
  const finish = (with_: Ending): void => {
    ending ??= with_;
    controller.abort(new DOMException(with_.reason, 'AbortError'));
  };
  const cancel = (): void => finish({ end: 'cancelled', reason: 'The run was cancelled.' });
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const timeUp = (): void =>
    finish({ end: 'time', reason: `The run took longer than ${formatCount(totalMs ?? 0)} ms.` });
  const timer = totalMs === undefined ? undefined : setTimeout(timeUp, totalMs);
  return {
    signal: controller.signal,
    ending: () => ending,
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      controller.abort();
    },
  };
}
