import type { Failure } from '../failure/failure.ts';
import { prettyJson } from '@tenon/inspector/json';
import { oneLine, printable, printableJson } from './printable.ts';

/** An output stream, and whether it is a terminal. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The result of a verb in both formats. Only the requested one is computed. */
export interface Result {
  /** JSON text; parts that come from the server are exactly as it wrote them. */
  json(): string;
  text(): string;
}

/** The output of the command: results on stdout, everything else on stderr. */
export interface Screen {
  /** The width of text on stdout, in columns. */
  readonly columns: number;
  readonly format: 'json' | 'text';
  result(result: Result): void;
  /** Shows the progress of a call. On a terminal each line replaces the previous one. */
  progress(text: string): void;
  /** Prints a line about something during a call on stderr, unless `--quiet` is given. A failure does not repeat such lines in its text. */
  aside(text: string): void;
  /** Prints a warning, unless `--quiet` is given. */
  warn(text: string): void;
  /** Prints a line on stderr unchanged. The caller makes it safe for a terminal. */
  line(text: string): void;
  failure(failure: Failure): void;
  /** Notes that output could not be written. It is reported at the end, and its exit code applies if nothing else failed. */
  reportLater(failure: Failure): void;
  /** The failures noted by `reportLater`. */
  readonly lost: readonly Failure[];
}

export interface ScreenOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly format: 'json' | 'text' | undefined;
  readonly quiet: boolean;
}

const COLUMNS = 100;
/** The minimum interval between two progress lines on a terminal, in milliseconds. */
const PROGRESS_MS = 50;
const MAX_WARNING_LENGTH = 500;
const MAX_PROGRESS_LENGTH = 200;
/** The maximum number of remembered lines of `aside`. */
const MAX_SHOWN = 1_000;
const CLEAR_LINE = '\r\u001b[K';

/** The failure as an object for programs. */
function failureObject({ code, exit, message, details }: Failure): object {
  return {
    error: { code, exit, message, ...details },
  };
}

/** The failure as text: what happened, the evidence, what to do. `shown`: lines that are already on the screen. */
function failureText({ message, details }: Failure, shown: ReadonlySet<string>): string {
  const { evidence, stderr, fix } = details;
  const lines = [`tenon: ${printable(message)}`];
  if (evidence !== undefined) lines.push(`  evidence: ${oneLine(evidence)}`);
  const said = (stderr ?? '').split('\n').map((line) => `| ${oneLine(line)}`);
  if (stderr !== undefined && stderr !== '' && !said.every((line) => shown.has(line)))
    lines.push('  on stderr of the server:', ...said.map((line) => `  ${line}`));
  if (fix !== undefined) lines.push(`  ${printable(fix)}`);
  return lines.join('\n');
}

export function createScreen({ stdout, stderr, format, quiet }: ScreenOptions): Screen {
  const terminal = stdout.isTTY === true;
  const chosen = format ?? (terminal ? 'text' : 'json');
  // A terminal of unknown width has 0 columns.
  const columns = (terminal ? stdout.columns : undefined) || COLUMNS;
  const lost: Failure[] = [];
  const shown = new Set<string>();
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

  /** Escapes control characters only for terminals; files and pipes get the text unchanged. */
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
      if (stderr.isTTY !== true) return line(oneLine(text, MAX_PROGRESS_LENGTH));
      const now = performance.now();
      if (now - lastProgress < PROGRESS_MS) return;
      lastProgress = now;
      stderr.write(CLEAR_LINE + oneLine(text, (stderr.columns || COLUMNS) - 1));
      shownProgress = true;
    },
    aside(text) {
      if (quiet) return;
      if (shown.size < MAX_SHOWN) shown.add(text);
      line(text);
    },
    warn(text) {
      if (!quiet) line(`tenon: warning: ${oneLine(text, MAX_WARNING_LENGTH)}`);
    },
    reportLater: (failure) => void lost.push(failure),
    lost,
    failure(failure) {
      const readable = chosen === 'text' && stderr.isTTY === true;
      line(readable ? failureText(failure, shown) : printableJson(JSON.stringify(failureObject(failure))));
    },
  };
}
