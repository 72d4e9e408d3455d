import { CODE, ProtocolError, ToolError } from '../protocol/errors.ts';
import type { Call } from '../protocol/middleware.ts';

/** The error with which a middleware refuses a call. For a tool it is a tool error, so that the model can wait or ask for less. */
export function refusal({ method }: Call, message: string, data?: unknown): Error {
  return method === 'tools/call' ? new ToolError(message) : new ProtocolError(CODE.internalError, message, data);
}

/** Throws a `TypeError` for an option that is not a positive number. */
export function checkPositive(name: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new TypeError(`${name} must be a positive number, got ${String(value)}`);
}
