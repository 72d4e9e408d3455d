/** How many lines are kept; the oldest are dropped first. */
const MAX_LINES = 1_000;
/** How many characters are kept. */
const MAX_CHARACTERS = 1_000_000;

/** What the pages of a client wrote to the console. */
export interface ConsoleLog {
  add(line: string): void;
  /** The number of lines so far, including those that were dropped. */
  readonly count: number;
  /** The lines from this number on, as far as they are kept. */
  since(count: number): readonly string[];
  text(): string;
}

/** Makes an empty log. */
export function createConsoleLog(): ConsoleLog {
  const lines: string[] = [];
  let characters = 0;
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(line) {
      lines.push(line);
      characters += line.length;
      count++;
      while (lines.length > MAX_LINES || (characters > MAX_CHARACTERS && lines.length > 1))
        characters -= lines.shift()!.length;
    },
    since: (from) => (from < count ? lines.slice(Math.max(0, lines.length - (count - from))) : []),
    text: () => lines.join('\n'),
  };
}
