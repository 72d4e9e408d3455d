// A separate file without imports, so that servers do not load it.
const BRAND = Symbol.for('tenon.error');

/** The step at which authorization failed. */
export type AuthStep = 'discovery' | 'registration' | 'authorization' | 'token' | 'storage';

/**
 * Authorization failed. On the client it is the `cause` of a `ConnectionError`. Carries the step, and the error code of the authorization
 * server.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly [BRAND] = 'auth';
  /** The step that failed. */
  readonly step: AuthStep;
  /** The error code of the authorization server, such as `invalid_grant` (RFC 6749, section 5.2); undefined if it sent none. */
  readonly code: string | undefined;

  constructor(step: AuthStep, message: string, options: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.step = step;
    this.code = options.code;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === 'auth';
  }
}
