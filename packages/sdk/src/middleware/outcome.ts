import { ProtocolError, ToolError } from '../protocol/errors.ts';
import type { CallAnswer, Call } from '../protocol/middleware.ts';

/** How a call ended, in a word. */
export type Outcome = CallAnswer['kind'] | 'tool-error' | 'error' | 'cancelled';

/** How a call ended, and the code of the error if it was one of the protocol. */
export interface Ended {
  readonly outcome: Outcome;
  readonly code?: number;
}

/** How an answered call ended. A tool that was told to stop, and so failed, is none that failed by itself. */
export function answered({ signal }: Call, { kind, failed }: CallAnswer): Ended {
  if (!failed) return { outcome: kind };
  return { outcome: signal.aborted ? 'cancelled' : 'tool-error' };
}

/** How a call ended that was answered with an error. */
export function rejected(call: Call, error: unknown): Ended {
  if (call.signal.aborted && (error as { readonly name?: unknown } | undefined)?.name === 'AbortError')
    return { outcome: 'cancelled' };
  if (error instanceof ToolError) return { outcome: 'tool-error' };
  return error instanceof ProtocolError ? { outcome: 'error', code: error.code } : { outcome: 'error' };
}
