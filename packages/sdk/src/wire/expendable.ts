const EXPENDABLE = /^\{"jsonrpc":"2\.0","method":"notifications\/(?:message|progress)"/;

/** Is a message of this side a log message or a progress notification? Those may be dropped if too much waits for the peer. */
export function isExpendable(text: string): boolean {
  return EXPENDABLE.test(text);
}
