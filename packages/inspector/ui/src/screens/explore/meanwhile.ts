import type { LinesAnswer, TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { quoted } from './calls.ts';
import { writtenIn, tokensIn, type Written } from './written.ts';

// What happened while a server worked on a call: its stderr, log messages, progress, and what it asked. The answer to a call that failed
// often holds an id only.

/** A call whose surroundings are wanted. */
export interface CallPlace {
  readonly session: string;
  /** The line of its first request. */
  readonly request: number;
  /** The line of its answer. Undefined: no answer came. */
  readonly response: number | undefined;
  /** All its lines, where it took several requests. */
  readonly lines?: readonly number[] | undefined;
}

/** More is not shown: the last lines. */
const MAX_ENTRIES = 40;
/** stderr and the answer come by different pipes. What was written just before the answer may be read just after it. */
const LATE_LINES = 200;
const LATE_MS = 250;

/** The lines of the call itself. */
function ownLines({ request, response, lines }: CallPlace): readonly number[] {
  return lines ?? [request, response].filter((n) => n !== undefined);
}

/** The filters that find what happened during a call, and what the client asked next. */
export function filtersOf(place: CallPlace): {
  readonly stderr: string;
  readonly notifications: string;
  readonly questions: string;
  readonly answers: string;
  readonly next: string;
} {
  const { session, request, response } = place;
  const until = response === undefined ? '' : response + LATE_LINES;
  const within = `session:${quoted(session)} n:${request + 1}..${until}`;
  const last = response ?? Math.max(...ownLines(place));
  return {
    stderr: `${within} kind:stderr`,
    notifications: `${within} from:server method:notifications/message,notifications/progress`,
    questions: `${within} from:server message:request`,
    answers: `${within} from:client message:response`,
    next: `session:${quoted(session)} from:client message:request n:${last + 1}..`,
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

async function ask(filter: string, from: number, count: number, signal: AbortSignal): Promise<readonly TraceRow[]> {
  return (await api.trace({ query: { filter, from, count }, signal })).rows;
}

async function read(numbers: readonly number[], signal: AbortSignal): Promise<LinesAnswer['lines']> {
  return numbers.length === 0 ? [] : (await api.lines({ query: { n: numbers }, signal })).lines;
}

/** Reads what happened while a server worked on a call. */
export async function loadWritten(place: CallPlace, signal: AbortSignal): Promise<readonly Written[]> {
  const filters = filtersOf(place);
  const newest = (filter: string): Promise<readonly TraceRow[]> => ask(filter, -MAX_ENTRIES, MAX_ENTRIES, signal);
  const [stderr, notifications, questions, answers, [next], own] = await Promise.all([
    newest(filters.stderr),
    newest(filters.notifications),
    newest(filters.questions),
    newest(filters.answers),
    ask(filters.next, 0, 1, signal),
    read(ownLines(place), signal),
  ]);
  const answer = own.find(({ n }) => n === place.response);
  const rows = duringCall([...stderr, ...notifications, ...questions, ...answers], answer, next?.n);
  const lines = await read(
    rows.map(({ n }) => n),
    signal,
  );
  return writtenIn(
    [...own, ...lines].toSorted((a, b) => a.n - b.n),
    tokensIn(own),
  );
}
