/** Nothing is repaired: two ids that differ in a broken byte would look the same. A byte order mark is content. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of some bytes; undefined where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of bytes that came in pieces, which may end in the middle of a character. */
export function decodePieces(pieces: readonly Uint8Array[]): string | undefined {
  return decodeUtf8(pieces.length === 1 ? pieces[0]! : joinBytes(pieces));
}

/** Pieces of bytes as one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
