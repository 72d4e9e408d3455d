import type { ErrorCode } from './error-codes.ts';

/** The host cannot do what a program asks of it; `code` says why. */
export class HostError extends Error {
  /** Always `HostError`, for programs that cannot use `instanceof`. */
  override readonly name = 'HostError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'HostError'>;

  constructor(code: ErrorCode<'HostError'>, message: string) {
    super(message);
    this.code = code;
  }
}
