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

/** The error where the memory or the disk of a store is full. With its code, the server waits for room, and refuses what can be repeated. */
export function fullError(message: string, options: ErrorOptions): RangeError & { readonly code: 'full' } {
  return Object.assign(new RangeError(message, options), { code: 'full' as const });
}
