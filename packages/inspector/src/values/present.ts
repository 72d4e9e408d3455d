/** The members that have a value, for those who go through the members of an object: header fields, the keywords of a schema. */
export function present<T>(members: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, T] => entry[1] !== undefined));
}
