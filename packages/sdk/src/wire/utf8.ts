/** Invalid bytes are not replaced: two ids that differ in one invalid byte would become equal. A byte order mark is content. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
