/** Reads the data of every event of a stream. Unlike with `EventSource`, the caller learns why a stream was rejected. */
export async function readEvents(bytes: ReadableStream<Uint8Array>, take: (data: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  // A state may come in very many chunks: they are joined once, when its line is complete.
  let pieces: string[] = [];
  const add = (text: string): void => {
    const [first, ...others] = text.split('\n');
    pieces.push(first!);
    for (const next of others) {
      const line = pieces.join('');
      pieces = [next];
      // Each event is one line of data; all other lines are empty or keep-alive comments.
      if (line.startsWith('data: ')) take(line.slice('data: '.length));
    }
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      add(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
