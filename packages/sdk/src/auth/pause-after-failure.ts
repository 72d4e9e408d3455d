/**
 * The same function, but for `pauseMs` milliseconds after it has failed it is not called again, and fails with the same error: a server that is
 * down is not asked once more by every request that needs it. `counts`: is this a failure after which to pause?
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
