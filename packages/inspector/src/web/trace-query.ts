import { MAX_ROWS } from '../api/routes.ts';
import type { TraceAnswer, TraceRow } from '../api/views.ts';
import type { TraceSource } from '../session/contract.ts';
import type { Facts } from '../trace/facts.ts';
import { parseFilter } from '../trace/filter.ts';
import { createFilterList, type FilterList } from '../trace/filter-list.ts';
import type { TraceSessions } from './trace-sessions.ts';
import { TURN_MS, type Turns } from './turns.ts';

/** The requested rows, by their index among the matches. */
export interface TraceQuery {
  readonly filter: string;
  /** Negative: counted from the end. */
  readonly from: number;
  readonly count: number;
}

/** Finds the lines of a trace that match a filter. */
export interface TraceQueries {
  /** Rejects if `signal` is aborted. */
  rows(query: TraceQuery, signal: AbortSignal): Promise<TraceAnswer>;
}

/** The matches of a filter. Without a filter no list is needed: every line matches. */
type Matches = Pick<FilterList, 'length' | 'at' | 'search' | 'searched'>;

/** The most filters whose matches are kept, so that only new lines are tested. */
const MAX_LISTS = 8;
/** The time limit of one search, in milliseconds. The answer then says how far it got. */
const MAX_SEARCH_MS = 1_000;

const PREVIEW = 300;
/** Lines with more characters are slow to read: they are read individually, and their previews are kept. */
const LARGE = 32 * 1024;
const MAX_PREVIEWS = 4_000;

/** The end of a run of lines to read together, starting at `begin`: adjacent lines, as long as they are short. */
function endOfRun(lines: readonly Facts[], begin: number): number {
  let size = lines[begin]!.size;
  let end = begin + 1;
  for (; lines[end]?.n === lines[end - 1]!.n + 1; end++) {
    size += lines[end]!.size;
    if (size > LARGE) break;
  }
  return end;
}

export function createTraceQueries(trace: TraceSource, sessions: TraceSessions, turns: Turns): TraceQueries {
  const lists = new Map<string, FilterList>();
  const previews = new Map<number, string>();

  const all: Matches = {
    get searched() {
      return trace.index.length;
    },
    get length() {
      return trace.index.length;
    },
    at: (place) => place + 1,
    search() {},
  };

  /** The matches of a filter, or its problem. */
  const matchesOf = (text: string): Matches | string => {
    if (text === '') return all;
    const kept = lists.get(text);
    const parsed = kept === undefined ? parseFilter(text) : undefined;
    if (parsed?.problem !== undefined) return parsed.problem;
    const list = kept ?? createFilterList(parsed!.filter!, trace, sessions.nameOf);
    // Least recently used first.
    lists.delete(text);
    lists.set(text, list);
    for (const oldest of lists.keys()) {
      if (lists.size <= MAX_LISTS) break;
      lists.delete(oldest);
    }
    return list;
  };

  const search = async (matches: Matches, until: number, signal: AbortSignal): Promise<void> => {
    const end = performance.now() + MAX_SEARCH_MS;
    while (matches.searched < until && performance.now() < end) {
      await turns.next();
      signal.throwIfAborted();
      matches.search(until, performance.now() + TURN_MS);
    }
  };

  const keepPreview = (n: number, text: string): void => {
    previews.set(n, text);
    for (const oldest of previews.keys()) {
      if (previews.size <= MAX_PREVIEWS) break;
      previews.delete(oldest);
    }
  };

  /** Reads adjacent lines, and stores the beginnings of their texts. */
  const readRun = (run: readonly Facts[], texts: Map<number, string>): void => {
    const { n, size } = run[0]!;
    const kept = previews.get(n);
    if (kept !== undefined) return void texts.set(n, kept);
    for (const line of trace.read(n, n + run.length - 1)) texts.set(line.n, line.text.slice(0, PREVIEW));
    if (size > LARGE) keepPreview(n, texts.get(n) ?? '');
  };

  /** The beginnings of the texts of lines. The lines must be in order. */
  const beginnings = async (wanted: readonly Facts[], signal: AbortSignal): Promise<Map<number, string>> => {
    const texts = new Map<number, string>();
    let deadline = performance.now() + TURN_MS;
    for (let i = 0; i < wanted.length;) {
      const end = endOfRun(wanted, i);
      readRun(wanted.slice(i, end), texts);
      i = end;
      if (performance.now() < deadline) continue;
      await turns.next();
      signal.throwIfAborted();
      deadline = performance.now() + TURN_MS;
    }
    return texts;
  };

  return {
    async rows({ filter, from, count }, signal) {
      const { length } = trace.index;
      sessions.update();
      const matches = matchesOf(filter.trim());
      if (typeof matches === 'string') return { length, matches: 0, from: 0, rows: [], problem: matches };
      await search(matches, length, signal);
      const found = matches.length;
      const begin = Math.min(found, from < 0 ? Math.max(0, found + from) : from);
      const end = Math.min(found, begin + Math.min(MAX_ROWS, count));
      const wanted: Facts[] = [];
      for (let place = begin; place < end; place++) wanted.push(trace.index.all[matches.at(place) - 1]!);
      const { searched } = matches;
      const texts = await beginnings(wanted, signal);
      const rows = wanted.map((facts): TraceRow => ({ ...facts, text: texts.get(facts.n) ?? '' }));
      return { length, matches: found, from: begin, rows, searched: searched < length ? searched : undefined };
    },
  };
}
