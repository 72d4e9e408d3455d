export type Fields = Readonly<Record<string, unknown>>;

/** A configuration file, of which only what is meant is changed: comments, order and spaces of the rest stay. */
export interface Document {
  /** What is under the names of servers: fields as the host writes them, or whatever else somebody wrote there. */
  servers(): ReadonlyMap<string, unknown>;
  /** The text with a server set, or taken out. Throws an `Error` that says why it cannot be. */
  set(name: string, fields: Fields | undefined): string;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Something else than servers is where they should be. */
export const notServers = (member: string): Error => new Error(`its "${member}" is not what it should be`);
