/** The value as a reader of its JSON receives it: without undefined members. */
export function asSent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
