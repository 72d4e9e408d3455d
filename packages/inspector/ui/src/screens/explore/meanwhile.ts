import type { LinesAnswer, TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { quoted } from './calls.ts';
import { writtenIn, tokensIn, type Written } from './written.ts';

// The events while a server worked on a call: its stderr, log messages, progress, and questions. The answer to a failed call
// often contains only an id.

/** The call whose events are loaded. */
export interface CallPlace {
  readonly session: string;
  /** The line of its first request. */
  readonly request: number;
  /** The line of its answer. Undefined: no answer has arrived. */
  readonly response: number | undefined;
  /** All its lines, if it took several requests. */
  readonly lines?: readonly number[] | undefined;
}

/** The most entries shown: the last ones. */
const MAX_ENTRIES = 40;
/** stderr and the answer come through different pipes, so output from before the answer may be recorded just after it. */
const LATE_LINES = 200;
const LATE_MS = 250;

/** The lines of the call itself. */
function ownLines({ request, response, lines }: CallPlace): readonly number[] {
  return lines ?? [request, response].filter((n) => n !== undefined);
}

/** Filters for the events during a call, and for the next request of the client. */
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

/** The lines that belong to the call: those before its answer, and those right after it. */
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

/** Loads the events while a server worked on a call. */
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
