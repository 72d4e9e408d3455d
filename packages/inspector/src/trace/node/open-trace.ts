import { setImmediate as breathe } from 'node:timers/promises';
import { isHead, MAX_LINE_LENGTH, parseHead, parseLine, TraceError } from '../format.ts';
import type { TraceHead, TraceLine } from '../line.ts';
import { createTraceIndex, type TraceIndex } from '../trace-index.ts';
import { type LineFile, openLineFile } from './line-file.ts';
import { createNumbering } from './numbering.ts';

/** A problem with a trace. The line still exists. */
export interface TraceProblem {
  /**
   * `damaged`: it is not a valid line. `cut`: it is incomplete. `too-long`: it is not read. `numbering`, `time`: its number or
   * its time is out of order.
   */
  readonly kind: 'damaged' | 'cut' | 'too-long' | 'numbering' | 'time';
  /** The line with the problem. */
  readonly n: number;
  /** The problem, for people. */
  readonly message: string;
}

/** A recorded trace. */
export interface Trace {
  /** The path of the file. */
  readonly file: string;
  /** The first line of the file. */
  readonly head: TraceHead;
  /** The number of lines, which is also the number of the last line. Known from the beginning. */
  readonly length: number;
  /** The facts of the lines indexed so far: `index.length` of `length`. */
  readonly index: TraceIndex;
  /** Resolves when all lines are indexed, or the trace was closed. */
  readonly indexed: Promise<void>;
  /** The lines in a range of numbers, both ends included. Lines that do not exist are left out. */
  read(from: number, to: number): TraceLine[];
  /** A line exactly as it is in the file. Undefined if no line has that number. */
  raw(n: number): string | undefined;
  /** The first thousand problems, in the lines indexed so far. */
  readonly problems: readonly TraceProblem[];
  /** The number of further problems. */
  readonly moreProblems: number;
  /** Closes the file. Nothing can be read afterwards. */
  close(): Promise<void>;
}

/** How a trace is opened. */
export interface OpenTraceOptions {
  /** Called now and then with the number of lines indexed. */
  readonly onProgress?: (indexed: number, length: number) => void;
}

const MAX_PROBLEMS = 1_000;
/** How long lines are indexed without a break, in milliseconds. Other work waits meanwhile. */
const SLICE_MS = 12;
/** The length of the text shown for a line that cannot be read, in characters. */
const SHOWN = 4_000;

/**
 * Opens a trace for reading. The lines are available immediately, whatever the size; they are indexed afterwards, see `indexed`.
 *
 * Lines that are damaged, cut by a crash or too long keep their place as lines of the kind `lost`, and are reported in
 * `problems`. Rejects with a `TraceError` if the file is not a trace, or has a newer version.
 *
 * @example
 * ```ts
 * import { openTrace } from '@tenon/inspector/trace';
 *
 * const trace = await openTrace('weather.mcptrace');
 * const [first] = trace.read(1, 1);
 * await trace.indexed;
 * const errors = trace.index.all.filter(({ outcome }) => outcome === 'error');
 * ```
 */
export async function openTrace(file: string, options: OpenTraceOptions = {}): Promise<Trace> {
  const lines = await openLineFile(file);
  try {
    if (lines.length === 0)
      throw new TraceError('empty', `${file} is empty: its recorder ended before it wrote anything`);
    return traceOf(file, lines, parseHead(lines.text(0)), options);
  } catch (error) {
    await lines.close();
    throw error;
  }
}

/** The line at a position, and the number in it; or a placeholder for a line that cannot be read. */
type PlacedLine =
  | { readonly line: TraceLine; readonly stated: number }
  | { readonly line: TraceLine; readonly stated: undefined; readonly problem: TraceProblem };

/** Reads the line at a position. Line n of the trace is line n of the file, because the head is line 0. */
function placed(lines: LineFile, n: number, text: string): PlacedLine {
  const unreadable = (kind: TraceProblem['kind'], message: string, shown = text): PlacedLine => ({
    line: { n, at: 0, session: '', kind: 'lost', text: `${message}: ${shown.slice(0, SHOWN)}` },
    stated: undefined,
    problem: { kind, n, message },
  });
  if (lines.isTooLong(n)) return unreadable('too-long', `The line is longer than ${MAX_LINE_LENGTH} bytes`);
  if (!lines.isExact(n, text)) return unreadable('damaged', 'The line is not UTF-8', text.replaceAll('\ufffd', '…'));
  const parsed = parseLine(text);
  if ('line' in parsed) {
    const { line } = parsed;
    return { line: line.n === n ? line : { ...line, n }, stated: line.n };
  }
  if (lines.open && n === lines.length - 1)
    return unreadable('cut', 'The last line is cut: its recorder was killed, or is still writing');
  if (isHead(text)) return unreadable('damaged', 'The line is the head of another trace');
  return unreadable('damaged', `The line ${parsed.problem}`);
}

function createProblems() {
  const list: TraceProblem[] = [];
  let more = 0;
  return {
    list,
    get more() {
      return more;
    },
    add(problem: TraceProblem): void {
      if (list.length < MAX_PROBLEMS) list.push(problem);
      else more++;
    },
  };
}

/** Processes every line once, in order: its facts and its problems. */
function createSurvey() {
  const index = createTraceIndex();
  const numbering = createNumbering();
  const problems = createProblems();
  let latest = 0;

  /** The line, with its citation resolved to a position. */
  const citing = ({ line, stated }: PlacedLine): TraceLine => {
    if (line.cause === undefined || stated === undefined) return line;
    const { cause, ...rest } = line;
    // For a line that is not indexed yet and has the expected number, the citation is used unchanged.
    const place = line.n > index.length && stated === line.n ? cause : numbering.placeOf(cause, line.n);
    if (place === cause) return line;
    return place === undefined ? rest : { ...rest, cause: place };
  };

  return {
    index,
    problems,
    citing,
    next(found: PlacedLine): void {
      const { line, stated } = found;
      const { n } = line;
      const inOrder = numbering.next(stated);
      if (stated === undefined) {
        problems.add(found.problem);
        index.add({ ...line, at: latest });
        return;
      }
      if (!inOrder) {
        const how = stated > n ? 'lines are missing before it' : 'it was put here from somewhere else';
        problems.add({ kind: 'numbering', n, message: `Line ${n} says it is line ${stated}: ${how}` });
      }
      if (line.at < latest) problems.add({ kind: 'time', n, message: `Line ${n} is earlier than the line before it` });
      latest = line.at;
      index.add(citing(found));
    },
  };
}

function traceOf(file: string, lines: LineFile, head: TraceHead, { onProgress }: OpenTraceOptions): Trace {
  const length = lines.length - 1;
  const { index, problems, citing, next } = createSurvey();
  let closed = false;

  const surveyAll = async (): Promise<void> => {
    let until = performance.now() + SLICE_MS;
    let n = 1;
    for (const text of lines.texts(1, length)) {
      next(placed(lines, n++, text));
      if (performance.now() < until) continue;
      onProgress?.(index.length, length);
      // Lets other work run, such as reading a line.
      await breathe();
      if (closed) return;
      until = performance.now() + SLICE_MS;
    }
    onProgress?.(index.length, length);
  };

  // The program that opens a trace usually reads the first lines at once, so indexing starts after that.
  const indexed = breathe().then(surveyAll);
  // A caller that does not await it gets the error when reading.
  indexed.catch(() => {});

  return {
    file,
    head,
    length,
    index,
    indexed,
    problems: problems.list,
    get moreProblems() {
      return problems.more;
    },
    read(from, to) {
      if (closed) throw new Error(`The trace ${file} is closed`);
      const first = Math.max(1, Math.ceil(from));
      const found: TraceLine[] = [];
      for (const text of lines.texts(first, Math.min(length, Math.floor(to)))) {
        const n = first + found.length;
        const at = placed(lines, n, text);
        found.push(at.stated === undefined ? { ...at.line, at: index.at(n)?.at ?? 0 } : citing(at));
      }
      return found;
    },
    raw(n) {
      if (closed) throw new Error(`The trace ${file} is closed`);
      return Number.isInteger(n) && n >= 1 && n <= length ? lines.text(n) : undefined;
    },
    async close() {
      if (closed) return;
      closed = true;
      await indexed.catch(() => {});
      await lines.close();
    },
  };
}
