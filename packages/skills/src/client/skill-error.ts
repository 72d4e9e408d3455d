import type { ErrorCode } from '../error-codes.ts';

/** A skill cannot be listed, loaded or read; `code` says why. No part of a failed skill is used. */
export class SkillError extends Error {
  /** Always `SkillError`, for programs that cannot use `instanceof`. */
  override readonly name = 'SkillError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'SkillError'>;

  constructor(code: ErrorCode<'SkillError'>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
