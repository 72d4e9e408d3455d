import type { Failure } from './failure.ts';
import { prettyJson } from '@tenon/inspector/json';
import { oneLine, printable, printableJson } from './printable.ts';

/** A stream to write to, and what it is. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a verb found out, in both forms. Only the one that is wanted is made. */
export interface Result {
  /** JSON text, as the server wrote it where it comes from there. */
  json(): string;
  text(): string;
}

/** Where the command writes: results on stdout, everything else on stderr. */
export interface Screen {
  /** How wide the text for stdout may be. */
  readonly columns: number;
  readonly format: 'json' | 'text';
  result(result: Result): void;
  /** How far the server has come. On a terminal each one replaces the last. */
  progress(text: string): void;
  /** Something that is not as it should be. Not shown with `--quiet`. */
  warn(text: string): void;
  /** A line on stderr as it is: safe for a terminal already. */
  line(text: string): void;
  failure(failure: Failure): void;
  /** Something that was asked for could not be written. It is told in the end, and the command ends with its code if with no other. */
  unwritten(failure: Failure): void;
  /** What was told so. */
  readonly lost: readonly Failure[];
}

export interface ScreenOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly format: 'json' | 'text' | undefined;
  readonly quiet: boolean;
}

const COLUMNS = 100;
/** On a terminal progress is written at most so often, in milliseconds. */
const PROGRESS_MS = 50;
const LONGEST_WARNING = 500;
const LONGEST_PROGRESS = 200;
const CLEAR_LINE = '\r\u001b[K';

/** The failure as an object, with the members that help a program. */
const failureObject = ({ code, exit, message, details }: Failure): object => ({
  error: { code, exit, message, ...details },
});

/** The failure for people: what happened, what shows it, what to do. */
const failureText = ({ message, details }: Failure): string => {
  const { evidence, stderr, fix } = details;
  const lines = [`tenon: ${printable(message)}`];
  if (evidence !== undefined) lines.push(`  evidence: ${oneLine(evidence)}`);
  if (stderr !== undefined && stderr !== '') {
    lines.push('  on stderr of the server:', ...stderr.split('\n').map((line) => `  | ${oneLine(line)}`));
  }
  if (fix !== undefined) lines.push(`  ${printable(fix)}`);
  return lines.join('\n');
};

export const createScreen = ({ stdout, stderr, format, quiet }: ScreenOptions): Screen => {
  const terminal = stdout.isTTY === true;
  const chosen = format ?? (terminal ? 'text' : 'json');
  // A terminal that does not know its width says 0.
  const columns = (terminal ? stdout.columns : undefined) || COLUMNS;
  const lost: Failure[] = [];
  let shownProgress = false;
  let lastProgress = -Infinity;

  const clear = (): void => {
    if (shownProgress) stderr.write(CLEAR_LINE);
    shownProgress = false;
  };
  const line = (text: string): void => {
    clear();
    stderr.write(`${text}\n`);
  };

  /** Only a terminal acts on control characters; elsewhere the text is wanted as it is. */
  const shape = (result: Result): string => {
    if (chosen === 'text') return terminal ? printable(result.text()) : result.text();
    return terminal ? printableJson(prettyJson(result.json())) : result.json();
  };

  return {
    columns,
    format: chosen,
    line,
    result(result) {
      clear();
      const text = shape(result);
      stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    progress(text) {
      if (quiet) return;
      if (stderr.isTTY !== true) return line(oneLine(text, LONGEST_PROGRESS));
      const now = performance.now();
      if (now - lastProgress < PROGRESS_MS) return;
      lastProgress = now;
      stderr.write(CLEAR_LINE + oneLine(text, (stderr.columns || COLUMNS) - 1));
      shownProgress = true;
    },
    warn(text) {
      if (!quiet) line(`tenon: warning: ${oneLine(text, LONGEST_WARNING)}`);
    },
    unwritten: (failure) => void lost.push(failure),
    lost,
    failure(failure) {
      const readable = chosen === 'text' && stderr.isTTY === true;
      line(readable ? failureText(failure) : printableJson(JSON.stringify(failureObject(failure))));
    },
  };
};
