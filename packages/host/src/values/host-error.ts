import type { ErrorCode } from './error-codes.ts';

/** What was asked of the host cannot be done. */
export class HostError extends Error {
  /** Always `HostError`, also where the class itself is not at hand. */
  override readonly name = 'HostError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'HostError'>;

  constructor(code: ErrorCode<'HostError'>, message: string) {
    super(message);
    this.code = code;
  }
}
