/** In characters. About the limit of web servers (RFC 9110, section 4.1). Limited because subscriptions store URIs. */
const MAX_URI_LENGTH = 8_192;

/** Clients leave characters unencoded that RFC 3986 requires to be encoded, so only control characters are refused. */
const REQUESTED = /^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u001f\u007f]*$/;
const PARENT_SEGMENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/**
 * Why no resource is looked up for a URI that a client sent, or undefined. A `file:` URI whose path contains `..` never reaches a handler,
 * however it is encoded (Resources, Security Considerations).
 */
export function requestedUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return `it is longer than ${MAX_URI_LENGTH} characters`;
  if (!REQUESTED.test(uri)) return 'it is not a URI';
  if (!/^file:/i.test(uri)) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(uri.slice('file:'.length));
  } catch {
    return 'its percent-encoding is broken';
  }
  return PARENT_SEGMENT.test(path) || path.includes('\0') ? 'a file URI has no ".." in its path' : undefined;
}
