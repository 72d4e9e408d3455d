/** One thing that passed between client and server. `at` is in milliseconds of a clock that only goes forward. */
export interface TraceEntry {
  /**
   * `junk`: a line that is no JSON-RPC message; a malformed message is `received`. `lost`: input that was not kept, a line without end for
   * example. `stderr`, `exit`: of a server process. `open`: a connection, or a process, began.
   */
  readonly kind: 'open' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  readonly at: number;
  /** The text as it was on the wire; for `lost`, `exit` and `open` a description. */
  readonly text: string;
}
