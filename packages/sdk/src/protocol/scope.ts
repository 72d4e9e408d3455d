/** A scope (RFC 6749, section 3.3). Others cannot be written in a challenge. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,4096}$/;

/** Is this a scope: visible ASCII characters without spaces, quotes and backslashes? */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value);
}
