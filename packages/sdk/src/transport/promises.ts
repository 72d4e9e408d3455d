/**
 * Waits for a promise that never rejects, at most `ms` milliseconds. Resolves to whether it settled. With `ref: false` the wait alone does
 * not keep the process alive.
 */
export async function within(ms: number, promise: Promise<unknown>, ref = true): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
    if (!ref) (timer as { unref?: () => void }).unref?.();
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise whose rejection is never unhandled: code that awaits it still gets the error. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
