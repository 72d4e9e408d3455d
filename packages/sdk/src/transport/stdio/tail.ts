/** The last bytes of a stream, whatever its length. */
export interface Tail {
  push(chunk: Uint8Array): void;
  /** What is kept, as text. */
  text(): string;
}

/** Keeps the last `maxBytes` bytes, at the price of a list of chunks: a flood is not copied. */
export const createTail = (maxBytes: number): Tail => {
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
      // Not in the middle of a character: UTF-8 continuation bytes are 10xxxxxx.
      if (from > 0) while (from < all.length && (all[from]! & 0xc0) === 0x80) from++;
      return all.toString('utf8', from);
    },
  };
};
