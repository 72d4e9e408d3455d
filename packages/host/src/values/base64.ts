/** Whether a text is non-empty, strict base64 (RFC 4648, section 4). Providers reject a whole request for anything else. */
export function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
}
