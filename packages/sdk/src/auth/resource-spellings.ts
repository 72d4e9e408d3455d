/**
 * The spellings of a resource (RFC 8707) that count as the same: the URL of a server at the root of its host may end with a slash, which some
 * libraries add (RFC 3986, section 6.2.3). All others are compared as they are.
 */
export function resourceSpellings(resource: string): readonly string[] {
  const [, origin] = /^([a-z][a-z\d+.-]*:\/\/[^/?#]+)\/?$/i.exec(resource) ?? [];
  return origin === undefined ? [resource] : [origin, `${origin}/`];
}
