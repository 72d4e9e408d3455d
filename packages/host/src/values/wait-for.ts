/** Waits for a promise. Rejects with the signal's reason as soon as the signal aborts, because some models and servers ignore it. */
export async function waitFor<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
