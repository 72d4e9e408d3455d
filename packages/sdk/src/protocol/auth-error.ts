// A separate file that imports only types, so that servers do not load it.
import type { ErrorCode } from './error-codes.ts';

const BRAND = Symbol.for('tenon.error');

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
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly [BRAND] = 'auth';
  /** Stable, and enough to tell apart what happened: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'AuthError'>;
  /** The step that failed. */
  readonly step: AuthStep;
  /** The error code of the authorization server, such as `invalid_grant` (RFC 6749, section 5.2); undefined if it sent none. */
  readonly oauthError: string | undefined;

  constructor(code: ErrorCode<'AuthError'>, step: AuthStep, message: string, options: AuthErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.step = step;
    this.oauthError = options.oauthError;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === 'auth';
  }
}
