/**
 * A copy of an object without the members that are undefined. For objects that are spread over others, whose keys are iterated, or that a
 * program's own store or logger receives.
 */
export function withoutUndefined<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
