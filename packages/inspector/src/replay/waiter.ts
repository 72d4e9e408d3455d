/** Waits for something that is looked at again whenever `changed` says so. */
export interface Waiter {
  changed(): void;
  /** Resolves with true as soon as `check` holds; with false after this many milliseconds, or when nothing more can come. */
  until(check: () => boolean, ms: number): Promise<boolean>;
  /** Nothing will change any more. */
  end(): void;
}

export function createWaiter(): Waiter {
  const waiters = new Set<() => void>();
  let over = false;
  const changed = (): void => {
    for (const look of [...waiters]) look();
  };
  return {
    changed,
    until: (check, ms) =>
      new Promise((resolve) => {
        const finish = (held: boolean): void => {
          clearTimeout(timer);
          waiters.delete(look);
          resolve(held);
        };
        const look = (): void => {
          if (check()) finish(true);
          else if (over) finish(false);
        };
        // An endless wait uses no timer: Node's longest is 24 days.
        const timer = setTimeout(() => finish(false), Math.min(ms, 2 ** 31 - 1));
        waiters.add(look);
        look();
      }),
    end() {
      over = true;
      changed();
    },
  };
}
