/** Wraps functions so that they never throw: after the first failure, which is reported once, none of them does anything. */
export type Safely = <Args extends unknown[]>(act: (...args: Args) => void) => (...args: Args) => void;

/**
 * Recording must not break the traffic that it records. Nothing is recorded after a failure, because a trace with a gap would
 * look complete.
 */
export function createSafely(onFailure: ((error: unknown) => void) | undefined): Safely {
  let failed = false;
  return (act) =>
    (...args) => {
      if (failed) return;
      try {
        act(...args);
      } catch (error) {
        failed = true;
        onFailure?.(error);
      }
    };
}
