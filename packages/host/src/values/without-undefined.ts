/** A copy of an object without its members that are undefined, for objects that users get: they may spread them over defaults. */
export function withoutUndefined<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
