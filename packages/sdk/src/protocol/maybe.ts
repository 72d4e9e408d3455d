/** A value, now or later. Most calls end without waiting for anything, and a promise costs more than their work. */
export type Maybe<T> = T | PromiseLike<T>;

const isLater = <T>(value: Maybe<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Goes on with a value: at once if it is there, else when it comes. */
export const then = <A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> => (isLater(value) ? value.then(next) : next(value));

/** Goes on with a value, or with the error that came instead of it. What the two functions throw is not caught here. */
export const settle = <A, B>(get: () => Maybe<A>, next: (value: A) => Maybe<B>, failed: (error: unknown) => Maybe<B>): Maybe<B> => {
  let value: Maybe<A>;
  try {
    value = get();
  } catch (error) {
    return failed(error);
  }
  return isLater(value) ? value.then(next, failed) : next(value);
};
