interface BufferLike {
  from(bytes: Uint8Array): { toString(encoding: 'base64'): string };
}

/** Bytes as base64; a string is base64 already. Uses the runtime's own encoder where there is one. */
export const toBase64 = (data: Uint8Array | string): string => {
  if (typeof data === 'string') return data;
  const buffer = (globalThis as { Buffer?: BufferLike }).Buffer;
  if (buffer !== undefined) return buffer.from(data).toString('base64');
  let binary = '';
  // `apply` has an argument limit of its own, so it goes in pieces.
  for (let at = 0; at < data.length; at += 0x8000) binary += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(binary);
};

/** base64url without padding. */
export const toBase64Url = (bytes: Uint8Array): string => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** Bytes of a base64url text; undefined when it is none, or not the one way to write them: then the last sign has bits that count for nothing. */
export const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return toBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
};
