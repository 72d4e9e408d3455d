export type Fields = Readonly<Record<string, unknown>>;

/** A configuration file. An edit changes only the named server and keeps comments, order and whitespace of the rest. */
export interface Document {
  /** The servers by name: the fields that the host wrote, or any other value found there. */
  servers(): ReadonlyMap<string, unknown>;
  /** The text with a server set, or removed if `fields` is undefined. Throws an `Error` with the reason if that is not possible. */
  set(name: string, fields: Fields | undefined): string;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member that should hold the servers holds something else. */
export function notServers(member: string): Error {
  return new Error(`its "${member}" is not an object of servers`);
}
