import type { LinesAnswer, TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { quoted } from './calls.ts';

// What a server wrote while it worked on a call: its stderr and its log messages. The answer to a call that failed often holds an id only.

/** A call whose surroundings are wanted. */
export interface CallPlace {
  readonly session: string;
  readonly request: number;
  /** Undefined: no answer came. */
  readonly response: number | undefined;
}

/** Lines that belong together. */
export interface Written {
  /** `stderr`, or the level of a log message. */
  readonly what: string;
  readonly text: string;
  /** The lines of the trace. */
  readonly lines: readonly number[];
}

/** More is not shown: the last lines. */
const MAX_ENTRIES = 40;
/** stderr and the answer come by different pipes. What was written just before the answer may be read just after it. */
const LATE_LINES = 200;
const LATE_MS = 250;

/** The filters that find the lines of stderr, the log messages, and what the client asked next. */
export function filtersOf({ session, request, response }: CallPlace): {
  readonly stderr: string;
  readonly log: string;
  readonly next: string;
} {
  const until = response === undefined ? '' : response + LATE_LINES;
  const within = `session:${quoted(session)} n:${request + 1}..${until}`;
  return {
    stderr: `${within} kind:stderr`,
    log: `${within} from:server method:notifications/message`,
    next: `session:${quoted(session)} from:client message:request n:${(response ?? request) + 1}..`,
  };
}

/** Which of the lines belong to the call: those before its answer, and those right behind it. */
export function duringCall<Row extends Pick<TraceRow, 'n' | 'at'>>(
  rows: readonly Row[],
  answer: Pick<TraceRow, 'n' | 'at'> | undefined,
  next: number | undefined,
): readonly Row[] {
  const isLate = ({ n, at }: Row): boolean => answer !== undefined && n > answer.n && at > answer.at + LATE_MS;
  return rows
    .filter((row) => !isLate(row) && (next === undefined || row.n < next))
    .toSorted((a, b) => a.n - b.n)
    .slice(-MAX_ENTRIES);
}

/** The text of a log message; undefined: the line is not one. */
function logOf(text: string): { readonly what: string; readonly text: string } | undefined {
  try {
    const { params } = JSON.parse(text) as { params?: { level?: unknown; logger?: unknown; data?: unknown } };
    const { level, logger, data } = params ?? {};
    if (typeof level !== 'string') return undefined;
    const said = typeof data === 'string' ? data : JSON.stringify(data);
    return { what: level, text: typeof logger === 'string' ? `${logger}: ${said}` : said };
  } catch {
    return undefined;
  }
}

/** Lines in order, those of stderr that follow each other as one text. */
export function writtenIn(
  lines: readonly { readonly n: number; readonly kind: string; readonly text: string }[],
): Written[] {
  const all: Written[] = [];
  for (const { n, kind, text } of lines) {
    const before = all.at(-1);
    if (kind === 'stderr' && before?.what === 'stderr')
      all[all.length - 1] = { ...before, text: `${before.text}\n${text}`, lines: [...before.lines, n] };
    else if (kind === 'stderr') all.push({ what: 'stderr', text, lines: [n] });
    else all.push({ ...(logOf(text) ?? { what: 'log', text }), lines: [n] });
  }
  return all;
}

async function ask(filter: string, from: number, count: number, signal: AbortSignal): Promise<readonly TraceRow[]> {
  return (await api.trace({ query: { filter, from, count }, signal })).rows;
}

async function read(numbers: readonly number[], signal: AbortSignal): Promise<LinesAnswer['lines']> {
  return numbers.length === 0 ? [] : (await api.lines({ query: { n: numbers }, signal })).lines;
}

/** Reads what a server wrote while it worked on a call. */
export async function loadWritten(place: CallPlace, signal: AbortSignal): Promise<readonly Written[]> {
  const filters = filtersOf(place);
  const { response } = place;
  const [stderr, log, [next], [answer]] = await Promise.all([
    ask(filters.stderr, -MAX_ENTRIES, MAX_ENTRIES, signal),
    ask(filters.log, -MAX_ENTRIES, MAX_ENTRIES, signal),
    ask(filters.next, 0, 1, signal),
    read(response === undefined ? [] : [response], signal),
  ]);
  const rows = duringCall([...stderr, ...log], answer, next?.n);
  const lines = await read(
    rows.map(({ n }) => n),
    signal,
  );
  return writtenIn(lines.toSorted((a, b) => a.n - b.n));
}
