/** The last bytes of a stream of any length. */
export interface Tail {
  push(chunk: Uint8Array): void;
  /** The kept bytes, as text. */
  text(): string;
}

/** Keeps the last `maxBytes` bytes as a list of chunks, so that large amounts of data are not copied. */
export function createTail(maxBytes: number): Tail {
  let chunks: Uint8Array[] = [];
  let size = 0;

  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      let spare = 0;
      while (size - chunks[spare]!.length >= maxBytes) size -= chunks[spare++]!.length;
      if (spare > 0) chunks.splice(0, spare);
    },
    text() {
      const all = Buffer.concat(chunks);
      chunks = all.length === 0 ? [] : [all];
      let from = Math.max(0, all.length - maxBytes);
      // Does not begin in the middle of a character: UTF-8 continuation bytes are 10xxxxxx.
      if (from > 0) while (from < all.length && (all[from]! & 0xc0) === 0x80) from++;
      return all.toString('utf8', from);
    },
  };
}
