/** Is it base64 as everybody reads it (RFC 4648, section 4), of at least one byte? Providers refuse a whole request for anything else. */
export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}
