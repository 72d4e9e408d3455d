import { onAbort } from '@tenon/values/on-abort';

/** Waits for a promise. Rejects with the signal's reason as soon as the signal aborts, because some models and servers ignore it. */
export function waitFor<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stopWaiting = onAbort(signal, () => reject(signal.reason as Error));
    promise.then(
      (value) => {
        stopWaiting();
        resolve(value);
      },
      (error: unknown) => {
        stopWaiting();
        reject(error as Error);
      },
    );
  });
}
