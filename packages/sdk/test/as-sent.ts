/** A value as whoever reads its JSON sees it: without members that are undefined. */
export function asSent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
