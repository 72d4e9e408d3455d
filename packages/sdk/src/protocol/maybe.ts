/** A value, now or later. Most calls end without waiting for anything, and a promise costs more than their work. */
export type Maybe<T> = T | PromiseLike<T>;

const isLater = <T>(value: Maybe<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** What a handler returns may only look like a promise: a query builder, whose `then` gives nothing back to go on with. */
const promised = <T>(later: PromiseLike<T>): PromiseLike<T> =>
  later instanceof Promise ? later : Promise.resolve(later);

/** Goes on with a value: at once if it is there, else when it comes. */
export const andThen = <A, B>(value: Maybe<A>, next: (value: A) => Maybe<B>): Maybe<B> =>
  isLater(value) ? promised(value).then(next) : next(value);

/** Goes on with a value, or with the error that came instead of it. What the two functions throw is not caught here. */
export const settle = <A, B>(
  get: () => Maybe<A>,
  next: (value: A) => Maybe<B>,
  failed: (error: unknown) => Maybe<B>,
): Maybe<B> => {
  let value: Maybe<A>;
  let later: PromiseLike<A> | undefined;
  try {
    value = get();
    // Looking at a value may throw, too: `then` can be a getter.
    if (isLater(value)) later = promised(value);
  } catch (error) {
    return failed(error);
  }
  return later === undefined ? next(value as A) : later.then(next, failed);
};
