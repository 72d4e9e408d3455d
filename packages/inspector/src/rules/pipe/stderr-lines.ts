import { shown } from '../words.ts';

/** A line that a process wrote to stderr, and the line of the trace that holds it. */
export interface StderrLine {
  readonly n: number;
  readonly text: string;
}

/** Lines of a printed error that say nothing on their own: frames of a stack, marks below source code, the version of Node. */
const FILLER: readonly RegExp[] = [
  /^\s*$/,
  /^\s*at\s.+/,
  /^[\^~\s]+$/,
  /^\s*[{}\]]+,?\s*$/,
  /^\s*Node\.js v\d/,
  /^\s*(?:file:\/\/|node:|\/|[A-Za-z]:\\)\S*:\d+(?::\d+)?$/,
  /^\s*Traceback \(most recent call last\):/,
  /^\s*File ".+", line \d+/,
  /^\s*goroutine \d+ \[/,
  /^\s*\.\.\. \d+ more$/,
  /^\s*note: run with `RUST_BACKTRACE/,
];

/** How lines begin, or are marked, that say what went wrong: of Node, Python, Java, Go, Rust, npm and logs. */
const STRONG: readonly RegExp[] = [
  /^[^\w\s]*\s*(?:Uncaught |Unhandled |Caused by: |Exception in thread "[^"]*" )?(?:[\w$]+\.)*(?:[A-Za-z_$][\w$]*)?(?:Error|Exception)\b/,
  /^\W*(?:panic|fatal|fatal error|error|critical|npm ERR!|npm error)\b/i,
  /^thread '.*' panicked/,
  /(?:^|[\s[(<|])(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b/,
  /"level":\s*(?:"(?:error|fatal|critical)"|[56]0\b)|\blevel=(?:error|fatal)\b/i,
];

/** Words of lines that may say it. */
const WEAK: readonly RegExp[] = [
  /\b(?:errors?|exception|fail(?:s|ed|ure)?|cannot|can't|could not|unable|denied|refused|not found|no such|missing|required|invalid|expected|usage)\b/i,
  /\bE[A-Z]{4,}\b/,
];

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** Longer lines are looked at in part. */
const LOOKED_AT = 2_000;
const MAX_SHOWN = 3;
const MAX_QUOTE_LENGTH = 500;

function isFiller({ text }: StderrLine): boolean {
  return matches(FILLER, text.slice(0, LOOKED_AT));
}

/**
 * The lines that say most about why a process fails, in order: the first that looks like an error and what follows it, without frames of the
 * stack. Where none does, or there are few lines, the last. A process that ends prints the least useful line last: `Node.js v24.0.0`.
 */
export function tellingLines(lines: readonly StderrLine[]): readonly StderrLine[] {
  const texts = new Set<string>();
  const isNew = ({ text }: StderrLine): boolean => {
    if (texts.has(text)) return false;
    texts.add(text);
    return true;
  };
  const spoken = lines.filter((line) => !isFiller(line) && isNew(line));
  if (spoken.length <= MAX_SHOWN) return spoken;
  const found = firstError(spoken);
  return found === undefined ? spoken.slice(-MAX_SHOWN) : spoken.slice(found, found + MAX_SHOWN);
}

/** The one line to show where there is room for one only. */
export function tellingLine(lines: readonly StderrLine[]): StderrLine | undefined {
  const spoken = lines.filter((line) => !isFiller(line));
  return spoken[firstError(spoken) ?? spoken.length - 1] ?? lines.findLast(({ text }) => text.trim() !== '');
}

/** The telling lines in quotes, safe to show; undefined: it wrote nothing. */
export function quotedStderr(lines: readonly StderrLine[]): string | undefined {
  const telling = tellingLines(lines);
  if (telling.length === 0) return undefined;
  return `"${shown(telling.map(({ text }) => text.trim()).join(' | '), MAX_QUOTE_LENGTH)}"`;
}

function firstError(spoken: readonly StderrLine[]): number | undefined {
  for (const patterns of [STRONG, WEAK]) {
    const found = spoken.findIndex(({ text }) => matches(patterns, text.slice(0, LOOKED_AT)));
    if (found !== -1) return found;
  }
  return undefined;
}

/** Enough for the print of an error: its message stands above the frames of its stack. */
const MAX_KEPT = 60;

/** What is looked at of one line of a trace, which may hold several of stderr. */
const MAX_LENGTH = 64 * 1024;

/** The last lines of stderr of the process that runs, within bounds. */
export class LastStderr {
  #lines: StderrLine[] = [];

  /** A process begins: what the one before wrote is not its doing. */
  begin(): void {
    this.#lines = [];
  }

  add(n: number, text: string): void {
    for (const line of text.slice(-MAX_LENGTH).split('\n').slice(-MAX_KEPT))
      this.#lines.push({ n, text: line.trimEnd().slice(0, LOOKED_AT) });
    if (this.#lines.length > MAX_KEPT * 2) this.#lines = this.#lines.slice(-MAX_KEPT);
  }

  get lines(): readonly StderrLine[] {
    return this.#lines.slice(-MAX_KEPT);
  }
}
