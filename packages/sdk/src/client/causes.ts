import { ProtocolError, ToolError } from '../protocol/errors.ts';
import type { Dialer } from './dialer.ts';

/** Throws an error again, with what the server really failed with as its cause, if that is known. */
export type Explain = (error: unknown) => never;

/**
 * A peer learns an id only of what went wrong in a server. Whoever has the server in the same program, as tests have, gets the error itself.
 * Undefined: nothing is known of this server but what it says.
 */
export function explainer({ causeOf }: Dialer): Explain | undefined {
  if (causeOf === undefined) return undefined;
  return (error) => {
    if ((error instanceof ProtocolError || error instanceof ToolError) && error.cause === undefined) {
      const value = causeOf(error.message);
      if (value !== undefined) Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
    }
    throw error;
  };
}
