const TYPES: ReadonlyMap<string, string> = new Map([
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['html', 'text/html'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['mjs', 'text/javascript'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['py', 'text/x-python'],
  ['sh', 'text/x-shellscript'],
  ['svg', 'image/svg+xml'],
  ['ts', 'text/x-typescript'],
  ['webp', 'image/webp'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['zip', 'application/zip'],
]);

/** The media type of a file by its name. */
export function mediaTypeOf(path: string, isText: boolean): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return TYPES.get(extension) ?? (isText ? 'text/plain' : 'application/octet-stream');
}
