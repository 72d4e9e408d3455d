// oxlint-disable no-bitwise -- This is an encoding.

/**
 * A key as bytes in the order in which JavaScript sorts texts: each code unit is encoded separately as UTF-8 (CESU-8). ASCII stays
 * readable, and lone surrogates, which UTF-8 cannot express, are preserved.
 */
export function keyBytes(key: string): Uint8Array {
  if (!/[\ud800-\udfff]/.test(key)) return Buffer.from(key, 'utf8');
  const bytes: number[] = [];
  for (let at = 0; at < key.length; at++) {
    const unit = key.charCodeAt(at);
    if (unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Uint8Array.from(bytes);
}

/** Decodes a key from its bytes. */
export function keyOf(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 0x80))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let key = '';
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    const more = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : 2;
    let unit = more === 0 ? byte : byte & (more === 1 ? 0x1f : 0x0f);
    for (let next = 1; next <= more; next++) unit = (unit << 6) | (bytes[at + next]! & 0x3f);
    key += String.fromCharCode(unit);
    at += 1 + more;
  }
  return key;
}

/** The exclusive upper bound of all keys that begin with a text. */
export function endOfPrefix(prefix: string): Uint8Array {
  // No byte of a key is 0xff, so the last one can be incremented.
  const bytes = Uint8Array.from(prefix === '' ? [0xfe] : keyBytes(prefix));
  bytes[bytes.length - 1]! += 1;
  return bytes;
}
