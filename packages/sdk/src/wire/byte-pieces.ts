import { decodeUtf8 } from './utf8.ts';

/** The text of bytes that were received in pieces, which may end in the middle of a character. */
export function decodePieces(pieces: readonly Uint8Array[]): string | undefined {
  return decodeUtf8(pieces.length === 1 ? pieces[0]! : joinBytes(pieces));
}

/** Joins pieces of bytes. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
