import { holdProcess } from '../protocol/timers.ts';
import type { Clock, Timer } from './clock.ts';

/** Something that expires at `due`, in milliseconds of the clock. `due` may be moved later at any time; `Infinity` is never. */
export interface DeadlineEntry {
  due: number;
}

/** One timer for many deadlines, so that a request does not need its own. */
export interface Deadlines {
  /** Call when an entry was added to the table, or its `due` moved earlier. */
  added(due: number): void;
  /** Call when the table became empty: the timer no longer keeps the process alive. */
  emptied(): void;
  stop(): void;
}

/**
 * Watches the entries of `table` and calls `expire` for each that is due. The timer is set for the earliest deadline known;
 * when it fires, entries that were extended or removed are skipped.
 */
export function createDeadlines<T extends DeadlineEntry>(
  clock: Clock,
  table: { values(): readonly T[] },
  expire: (entry: T) => void,
): Deadlines {
  let timer: Timer;
  let armedFor = Infinity;
  let holding = false;

  const disarm = (): void => {
    if (armedFor === Infinity) return;
    clock.clearTimeout(timer);
    armedFor = Infinity;
    holding = false;
  };

  const arm = (due: number): void => {
    disarm();
    if (due === Infinity) return;
    armedFor = due;
    holding = true;
    timer = clock.setTimeout(check, Math.max(0, Math.ceil(due - clock.now())));
  };

  const check = (): void => {
    armedFor = Infinity;
    holding = false;
    const now = clock.now();
    for (const entry of table.values()) if (entry.due <= now) expire(entry);
    let next = Infinity;
    for (const entry of table.values()) if (entry.due < next) next = entry.due;
    // `expire` may have added entries, which armed the timer already.
    if (next < armedFor) arm(next);
  };

  return {
    added(due) {
      if (due < armedFor) arm(due);
      else if (!holding && armedFor !== Infinity) {
        holding = true;
        holdProcess(timer, true);
      }
    },
    emptied() {
      if (!holding) return;
      holding = false;
      holdProcess(timer, false);
    },
    stop: disarm,
  };
}
