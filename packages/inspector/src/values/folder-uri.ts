/** Returns whether this is a `file://` URI without path traversal (specification, "Roots", security). */
export function isFolderUri(uri: unknown): uri is string {
  return (
    typeof uri === 'string' &&
    URL.canParse(uri) &&
    new URL(uri).protocol === 'file:' &&
    !/(?:^|[\\/])(?:\.|%2e){2}(?:[\\/]|$)/i.test(uri.replace(/^file:|[?#].*$/gis, ''))
  );
}
