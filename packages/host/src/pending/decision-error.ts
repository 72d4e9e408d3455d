import { formatIssues, type ValidationIssue } from 'tenon/schema';
import type { ErrorCode } from '../values/error-codes.ts';

/** A decision is invalid, or does not fit its item. The item keeps waiting for another one. */
export class DecisionError extends TypeError {
  /** Always `DecisionError`, for programs that cannot use `instanceof`. */
  override readonly name = 'DecisionError';
  /** Always `invalid-decision`. */
  readonly code: ErrorCode<'DecisionError'> = 'invalid-decision';
  /** What is wrong, and where in the decision: `{ path: ['content', 'seat'], message: 'is required' }`. */
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super(`The decision is not valid: ${formatIssues(issues)}`);
    this.issues = issues;
  }
}
