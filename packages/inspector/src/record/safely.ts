/** Makes what it is given harmless: after the first failure, which is told once, none of it does anything. */
export type Safely = <Args extends unknown[]>(act: (...args: Args) => void) => (...args: Args) => void;

/** Recording must not break what it records. And half a trace that looks whole would be a lie, so nothing is recorded after a failure. */
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
