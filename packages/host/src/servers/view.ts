/**
 * The state of a server. `waiting`: for the approval of its start. `ready`: it has answered, and its tools were listed. A server at a URL
 * stays `ready` when a later request cannot reach it, because the next one may; `problem` says so. `refused`: the start was denied.
 * `idle`: stopped until the next request.
 */
export type ServerState = 'waiting' | 'starting' | 'ready' | 'failed' | 'refused' | 'idle' | 'stopped';

/** The current state of a server, for display. */
export interface ServerView {
  /** The name of the server in this host. */
  readonly alias: string;
  /** The current state. */
  readonly state: ServerState;
  /**
   * Why it is not ready, or why the last start failed. Of a server at a URL that is ready: why the last request could not reach it.
   */
  readonly problem: string | undefined;
  /** Whether its start takes longer than the limit `startMs`. It is still waited for; `problem` says what it last wrote to stderr. */
  readonly late: boolean;
  /** The protocol revision that was agreed on. Undefined while it is not connected. */
  readonly revision: string | undefined;
  /** The name and version that the server reports. */
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** The server's instructions for the model. Undefined while a change of them is not approved. */
  readonly instructions: string | undefined;
  /** Milliseconds that the last start took. */
  readonly startMs: number | undefined;
}
