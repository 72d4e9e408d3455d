// A queue with one reader, for notifications that are awaited.

import { PATIENCE_MS } from '../../../../scripts/lib/until.ts';

/** `take` rejects if nothing arrives within `waitMs`. */
export function queue<T>(waitMs = PATIENCE_MS): {
  put(value: T): void;
  take(): Promise<T>;
  readonly waiting: readonly T[];
} {
  const values: T[] = [];
  let reader: ((value: T) => void) | undefined;
  return {
    waiting: values,
    put(value) {
      if (reader === undefined) values.push(value);
      else reader(value);
      reader = undefined;
    },
    take: () =>
      new Promise((resolve, reject) => {
        if (values.length > 0) return resolve(values.shift()!);
        const timer = setTimeout(() => reject(new Error(`nothing came within ${waitMs} ms`)), waitMs);
        reader = (value) => {
          clearTimeout(timer);
          resolve(value);
        };
      }),
  };
}
