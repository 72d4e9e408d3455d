import { count } from './clip.ts';
import type { RunEnd, RunOptions } from './types.ts';

/** How a run ends, and in a sentence why. */
export interface Ending {
  readonly end: RunEnd;
  readonly reason?: string;
}

export interface RunTimer {
  /** Aborts when the run is cancelled or its time is up. */
  readonly signal: AbortSignal;
  readonly ending: () => Ending | undefined;
  /** Ends whatever is still under way. */
  readonly stop: () => void;
}

/** Watches over the signal and the time of a run. */
export const startRunTimer = ({
  signal,
  budget: { totalMs } = {},
}: Pick<RunOptions, 'signal' | 'budget'>): RunTimer => {
  const over = new AbortController();
  let ending: Ending | undefined;
  const finish = (with_: Ending): void => {
    ending ??= with_;
    over.abort(new DOMException(with_.reason, 'AbortError'));
  };
  const cancel = (): void => finish({ end: 'cancelled', reason: 'The run was cancelled.' });
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const timeUp = (): void => finish({ end: 'time', reason: `The run took longer than ${count(totalMs ?? 0)} ms.` });
  const timer = totalMs === undefined ? undefined : setTimeout(timeUp, totalMs);
  return {
    signal: over.signal,
    ending: () => ending,
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      over.abort();
    },
  };
};
