/** Collects chunks into one text, up to a limit. */
export interface KeptText {
  push(chunk: Buffer): void;
  /** The number of bytes received. */
  readonly bytes: number;
  /** More was received than is kept. */
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
      // Copied, because a slice would keep its whole pool alive.
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
