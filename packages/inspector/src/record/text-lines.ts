/** Splits chunks of text into lines. */
export interface TextLines {
  push(text: string): void;
  /** Passes on the unfinished line. */
  flush(): void;
}

/** How long a partial line waits for its end, in milliseconds. */
const WAIT_MS = 250;
const MAX_LENGTH = 64 * 1024;

/** Lines are passed on without their line breaks. An unfinished line is passed on after a moment, or when it is long. */
export function createTextLines(onLine: (text: string) => void): TextLines {
  let begun = '';
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (begun === '') return;
    const text = begun;
    begun = '';
    onLine(text);
  };

  return {
    flush,
    push(text) {
      const parts = (begun + text).split('\n');
      begun = parts.pop()!;
      for (const part of parts) onLine(part.endsWith('\r') ? part.slice(0, -1) : part);
      while (begun.length > MAX_LENGTH) {
        onLine(begun.slice(0, MAX_LENGTH));
        begun = begun.slice(MAX_LENGTH);
      }
      if (begun === '') clearTimeout(timer);
      else timer ??= setTimeout(flush, WAIT_MS).unref();
      if (begun === '') timer = undefined;
    },
  };
}
