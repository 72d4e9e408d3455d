/**
 * A copy of an object without the members that are undefined. For objects that are spread over others, whose members are gone through one by
 * one, or that programs of others store as JSON.
 */
export function withoutUndefined<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
