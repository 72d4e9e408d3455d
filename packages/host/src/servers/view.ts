/** Where a server of a host is in its life. */
export type ServerState = 'waiting' | 'starting' | 'ready' | 'failed' | 'refused' | 'idle' | 'stopped';

/** A server as a host shows it. */
export interface ServerView {
  readonly alias: string;
  readonly state: ServerState;
  /** Why it is not ready. */
  readonly problem: string | undefined;
  readonly revision: string | undefined;
  /** Name and version in its own words. */
  readonly says: { readonly name: string; readonly version: string } | undefined;
  /** What it says to the model about its use. Undefined also as long as a change of it is not approved. */
  readonly instructions: string | undefined;
  /** Milliseconds from start to ready, the last time. */
  readonly startMs: number | undefined;
}
