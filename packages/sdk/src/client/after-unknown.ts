import { ConnectionError } from '../protocol/errors.ts';

/** A copy of the error for a call of which an earlier request may have been processed. */
export function afterUnknown(error: unknown): unknown {
  if (!(error instanceof ConnectionError) || error.processed === 'unknown') return error;
  const { code, message, cause, status, challenge, retryAfterMs } = error;
  return new ConnectionError(code, message, { cause, status, challenge, retryAfterMs, processed: 'unknown' });
}
