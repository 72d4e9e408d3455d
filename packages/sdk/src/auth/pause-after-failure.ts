/**
 * Wraps a function: for `pauseMs` milliseconds after a failure it is not called again, and rejects with the same error, so that not every
 * request contacts a server that is down. `counts`: does this failure start a pause?
 */
export function pauseAfterFailure<Arguments extends unknown[], T>(
  run: (...args: Arguments) => Promise<T>,
  pauseMs: number,
  counts: (error: unknown) => boolean = () => true,
): (...args: Arguments) => Promise<T> {
  let failed: { readonly error: unknown; readonly until: number } | undefined;
  return async (...args) => {
    if (failed !== undefined && performance.now() < failed.until) throw failed.error;
    try {
      return await run(...args);
    } catch (error) {
      if (counts(error)) failed = { error, until: performance.now() + pauseMs };
      throw error;
    }
  };
}
