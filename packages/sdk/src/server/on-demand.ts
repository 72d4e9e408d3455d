import type { Maybe } from '../protocol/maybe.ts';

/** A function that many servers never use: its code is loaded with the first call. */
export function onDemand<Args extends unknown[], T>(load: () => Promise<(...args: Args) => Maybe<T>>) {
  let loaded: ((...args: Args) => Maybe<T>) | undefined;
  return (...args: Args): Maybe<T> =>
    loaded === undefined ? load().then((ready) => (loaded = ready)(...args)) : loaded(...args);
}
