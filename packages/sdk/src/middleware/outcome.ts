import { ProtocolError, ToolError } from '../protocol/errors.ts';
import type { CallAnswer, Call } from '../protocol/middleware.ts';

/** The outcome of a call, as one word. */
export type Outcome = CallAnswer['kind'] | 'tool-error' | 'error' | 'cancelled';

/** The outcome of a call, and the code of the error if it was a JSON-RPC error. */
export interface CallEnd {
  readonly outcome: Outcome;
  readonly code?: number;
}

/** The outcome of an answered call. A tool that failed because its call was cancelled counts as cancelled. */
export function answered({ signal }: Call, { kind, failed }: CallAnswer): CallEnd {
  if (!failed) return { outcome: kind };
  return { outcome: signal.aborted ? 'cancelled' : 'tool-error' };
}

/** The outcome of a call that was answered with an error. */
export function rejected(call: Call, error: unknown): CallEnd {
  if (call.signal.aborted && (error as { readonly name?: unknown } | undefined)?.name === 'AbortError')
    return { outcome: 'cancelled' };
  if (error instanceof ToolError) return { outcome: 'tool-error' };
  return error instanceof ProtocolError ? { outcome: 'error', code: error.code } : { outcome: 'error' };
}
