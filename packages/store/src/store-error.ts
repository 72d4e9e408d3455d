import type { ErrorCode } from './error-codes.ts';

/** A store cannot be opened, or an operation failed; `code` says why. A store without room throws a `RangeError` instead. */
export class StoreError extends Error {
  /** Always `StoreError`, for programs that cannot use `instanceof`. */
  override readonly name = 'StoreError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'StoreError'>;

  constructor(code: ErrorCode<'StoreError'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
