/**
 * The error with which an aborted operation rejects: its `name` is `AbortError`. If the reason is another error, it becomes the `cause`.
 */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'AbortError') return reason;
  return new DOMException(typeof reason === 'string' ? reason : 'The operation was aborted', {
    name: 'AbortError',
    cause: reason,
  });
}
