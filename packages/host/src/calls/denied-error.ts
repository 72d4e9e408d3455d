import type { ErrorCode } from '../values/error-codes.ts';

/** The policy or the person denied the operation. */
export class DeniedError extends Error {
  /** Always `DeniedError`, for programs that cannot use `instanceof`. */
  override readonly name = 'DeniedError';
  /** Always `denied`. */
  readonly code: ErrorCode<'DeniedError'> = 'denied';
}
