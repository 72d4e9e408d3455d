// Some functions of Playwright wait for the page without a limit: a page that is busy would keep all later calls waiting.

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

function timeoutError(timeoutMs: number): Error {
  return new DOMException(`Timeout ${timeoutMs}ms exceeded.`, 'TimeoutError');
}

/** Waits for work. Rejects with the reason of the signal, or after the time with what `late` returns: by default a `TimeoutError`. */
export function limited<T>(
  work: Promise<T>,
  { signal, timeoutMs }: Limits,
  late: (timeoutMs: number) => Error = timeoutError,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    });
  });
}
