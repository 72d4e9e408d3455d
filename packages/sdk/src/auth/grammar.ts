// The syntax of credentials. Other values cannot be sent in a request.

/**
 * An access token: visible ASCII. RFC 6750, section 2.1 leaves out some of these characters, but issuers use them (`12|secret`), and a
 * they are valid in a header. Spaces, line breaks and non-ASCII characters are not.
 */
const ACCESS_TOKEN = /^[\x21-\x7e]+$/;
/** Client ids, client secrets and refresh tokens (RFC 6749, appendix A.1, A.2 and A.17). */
const VISIBLE = /^[\x20-\x7e]+$/;
/** RFC 6749, appendix A.4. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export function isAccessToken(value: unknown): value is string {
  return typeof value === 'string' && ACCESS_TOKEN.test(value);
}

/** Is it a client id, a client secret, or a refresh token? */
export function isVisibleText(value: unknown): value is string {
  return typeof value === 'string' && VISIBLE.test(value);
}

export function isScope(value: string): boolean {
  return SCOPE.test(value);
}

/** The valid scopes of a space-separated list. */
export function scopesIn(text: string | undefined): string[] {
  return text?.split(' ').filter(isScope) ?? [];
}
