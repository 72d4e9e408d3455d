import { shown } from '../words.ts';

/** A line that a process wrote to stderr, and the number of its line in the trace. */
export interface StderrLine {
  readonly n: number;
  readonly text: string;
}

/** Lines of a printed error that mean nothing on their own: stack frames, markers below source code, the version of Node. */
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

/** Beginnings or markers of lines that say what went wrong: in Node, Python, Java, Go, Rust, npm and logs. */
const STRONG: readonly RegExp[] = [
  /^[^\w\s]*\s*(?:Uncaught |Unhandled |Caused by: |Exception in thread "[^"]*" )?(?:[\w$]+\.)*(?:[A-Za-z_$][\w$]*)?(?:Error|Exception)\b/,
  /^\W*(?:panic|fatal|fatal error|error|critical|npm ERR!|npm error)\b/i,
  /^thread '.*' panicked/,
  /(?:^|[\s[(<|])(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b/,
  /"level":\s*(?:"(?:error|fatal|critical)"|[56]0\b)|\blevel=(?:error|fatal)\b/i,
];

/** Words that suggest that a line says what went wrong. */
const WEAK: readonly RegExp[] = [
  /\b(?:errors?|exception|fail(?:s|ed|ure)?|cannot|can't|could not|unable|denied|refused|not found|no such|missing|required|invalid|expected|usage)\b/i,
  /\bE[A-Z]{4,}\b/,
];

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

/** The part of a long line that is examined, in characters. */
const LOOKED_AT = 2_000;
const MAX_SHOWN = 3;
const MAX_QUOTE_LENGTH = 500;

function isFiller({ text }: StderrLine): boolean {
  return matches(FILLER, text.slice(0, LOOKED_AT));
}

/**
 * The most telling lines about why a process fails, in order: the first that looks like an error and the lines after it, without
 * stack frames. If none does, or there are few lines, the last ones. The last line of a failing process is usually the least
 * useful: `Node.js v24.0.0`.
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

/** The single most telling line. */
export function tellingLine(lines: readonly StderrLine[]): StderrLine | undefined {
  const spoken = lines.filter((line) => !isFiller(line));
  return spoken[firstError(spoken) ?? spoken.length - 1] ?? lines.findLast(({ text }) => text.trim() !== '');
}

/** The most informative lines in quotes, safe to show. Undefined: there is no output. */
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

/** Enough for a printed error, whose message stands above its stack frames. */
const MAX_KEPT = 60;

/** The part that is examined of a line of the trace, which may contain several lines of stderr. */
const MAX_LENGTH = 64 * 1024;

/** The last lines of stderr of the current process, within limits. */
export class LastStderr {
  #lines: StderrLine[] = [];

  /** A new process begins: the output of the previous one does not belong to it. */
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
