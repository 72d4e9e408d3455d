/** RFC 3986, appendix A: all other characters have to be percent-encoded. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

/** Why a URI or a template cannot be published, or undefined. The literals of a template are checked when it is parsed. */
export function publishedUriProblem(uri: string, isTemplate: boolean): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return 'a URI starts with a scheme, as in "config://app" (RFC 3986)';
  return isTemplate || URI.test(uri)
    ? undefined
    : 'a URI has ASCII letters, digits and a few signs; percent-encode everything else (RFC 3986)';
}
