/** A value, or a promise of it. Most calls end without waiting for anything, and a promise costs more than their work. */
export type Maybe<T> = T | PromiseLike<T>;

/** Is the value a promise that has to be awaited? */
export function isLater<T>(value: Maybe<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/**
 * The return value of a handler may be a thenable that is not a promise, such as a query builder, whose `then` does not return a promise.
 */
function promised<T>(later: PromiseLike<T>): PromiseLike<T> {
  return later instanceof Promise ? later : Promise.resolve(later);
}

/** Continues with a value: at once, or when its promise resolves. */
export function andThen<A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> {
  return isLater(value) ? promised(value).then(next) : next(value);
}

/** Continues with a value, or with the error that came instead of it. Errors of the two functions are not caught here. */
export function settle<A, B>(
  get: () => Maybe<A>,
  next: (value: A) => Maybe<B>,
  failed: (error: unknown) => Maybe<B>,
): Maybe<B> {
  let value: Maybe<A>;
  let later: PromiseLike<A> | undefined;
  try {
    value = get();
    // Reading `then` may throw, too: it can be a getter.
    if (isLater(value)) later = promised(value);
  } catch (error) {
    return failed(error);
  }
  return later === undefined ? next(value as A) : later.then(next, failed);
}
