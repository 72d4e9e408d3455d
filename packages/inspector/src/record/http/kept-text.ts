/** Text that comes in pieces and is wanted as a whole, up to a bound. */
export interface KeptText {
  push(chunk: Buffer): void;
  /** How many bytes came. */
  readonly bytes: number;
  /** More came than is kept. */
  readonly tooLong: boolean;
  text(): string;
}

export function keepText(maxBytes: number): KeptText {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let kept = 0;
  return {
    push(chunk) {
      bytes += chunk.length;
      if (kept >= maxBytes) return;
      // A piece of a pool would keep the whole pool.
      chunks.push(Buffer.from(chunk.subarray(0, maxBytes - kept)));
      kept = Math.min(bytes, maxBytes);
    },
    get bytes() {
      return bytes;
    },
    get tooLong() {
      return bytes > kept;
    },
    text() {
      if (chunks.length > 1) chunks = [Buffer.concat(chunks)];
      return chunks[0]?.toString() ?? '';
    },
  };
}
