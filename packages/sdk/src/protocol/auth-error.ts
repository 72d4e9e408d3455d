// A separate file, so that servers do not load it.
import type { ErrorCode } from './error-codes.ts';
import { CodedError } from './errors.ts';

/** The step at which authorization failed. */
export type AuthStep = 'discovery' | 'registration' | 'authorization' | 'token' | 'storage';

/** Details of an authorization that failed. */
export interface AuthErrorOptions {
  /** The error code of the authorization server, such as `invalid_grant`. */
  readonly oauthError?: string | undefined;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** Authorization failed. On the client it is the `cause` of a `ConnectionError`. */
export class AuthError extends CodedError<ErrorCode<'AuthError'>> {
  protected static override readonly className = 'AuthError';
  declare readonly name: 'AuthError';
  /** The step that failed. */
  readonly step: AuthStep;
  /** The error code of the authorization server, such as `invalid_grant` (RFC 6749, section 5.2); undefined if it sent none. */
  readonly oauthError: string | undefined;

  constructor(code: ErrorCode<'AuthError'>, step: AuthStep, message: string, options: AuthErrorOptions = {}) {
    super(code, message, options.cause);
    this.step = step;
    this.oauthError = options.oauthError;
  }
}
