/** One thing that passed between client and server. `at` is in milliseconds of a clock that only goes forward. */
export interface TraceEntry {
  /**
   * `junk`: a line that is no JSON-RPC message; a malformed message is `received`. `lost`: input that was not kept, a line without end for
   * example. `stderr`, `exit`: of a server process. `open`: a connection, or a process, began.
   * `http`: the head of an HTTP request or answer, and what else of an event stream is no message.
   */
  readonly kind: 'open' | 'http' | 'sent' | 'received' | 'junk' | 'lost' | 'stderr' | 'exit';
  readonly at: number;
  /** The text as it was on the wire; for `lost`, `exit`, `open` and `http` a description, in which credentials are left out. */
  readonly text: string;
}
