interface BufferLike {
  from(bytes: Uint8Array): { toString(encoding: 'base64'): string };
}

/** Bytes as base64; a string is base64 already. Uses the runtime's own encoder where there is one. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data;
  const buffer = (globalThis as { Buffer?: BufferLike }).Buffer;
  if (buffer !== undefined) return buffer.from(data).toString('base64');
  let binary = '';
  // `apply` has a limit of arguments, so the text is built in pieces.
  for (let at = 0; at < data.length; at += 0x8000) binary += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(binary);
}
