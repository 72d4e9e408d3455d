import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TraceAnswer, TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { useTraceLength } from '../../store/model.ts';

/** Rows per request. */
const PAGE = 100;
/** Pages that are kept; those used least recently are dropped. */
const MAX_PAGES = 40;
/** While the trace grows, or is searched, it is asked for again this often, in milliseconds. */
const EVERY_MS = 250;

interface Page {
  readonly rows: readonly TraceRow[];
  /** Lines of the whole trace when it was asked for. */
  readonly length: number;
}

interface Kept {
  readonly filter: string;
  readonly matches: number;
  readonly length: number;
  readonly pages: ReadonlyMap<number, Page>;
  readonly problem: string | undefined;
  /** Not all of the trace has been searched yet. */
  readonly searching: boolean;
  /** Something has been answered. */
  readonly known: boolean;
}

export interface Rows extends Omit<Kept, 'filter' | 'pages'> {
  /** A row by its place among the matches; undefined while it is not here yet. Asks for it. */
  row(at: number): TraceRow | undefined;
}

function nothing(filter: string): Kept {
  return {
    filter,
    matches: 0,
    length: 0,
    pages: new Map(),
    problem: undefined,
    searching: false,
    known: false,
  };
}

function taken(before: Kept, filter: string, page: number, answer: TraceAnswer): Kept {
  const from = before.filter === filter ? before : nothing(filter);
  // Answers may overtake each other.
  if (answer.length < from.length) return from;
  const pages = new Map(from.pages);
  pages.delete(page);
  pages.set(page, { rows: answer.rows, length: answer.length });
  for (const oldest of pages.keys()) {
    if (pages.size <= MAX_PAGES) break;
    pages.delete(oldest);
  }
  const { matches, length, problem, searched } = answer;
  return { filter, matches, length, pages, problem, searching: searched !== undefined, known: true };
}

/** Which pages are in sight: the list draws itself without its owner, so they are gathered as rows are asked for. */
function usePagesInSight(changed: (pages: ReadonlySet<number>) => void): (page: number) => void {
  const seen = useRef(new Set<number>());
  const tell = useRef(changed);
  useLayoutEffect(() => {
    tell.current = changed;
  });
  return useCallback((page: number) => {
    if (seen.current.size === 0)
      queueMicrotask(() => {
        const pages = seen.current;
        seen.current = new Set();
        tell.current(pages);
      });
    seen.current.add(page);
  }, []);
}

/** The lines that match a filter. Only those in sight are asked for, again and again while the trace grows. */
export function useRows(filter: string): Rows {
  const [kept, setKept] = useState(() => nothing(filter));
  const length = useTraceLength();
  const wanted = useRef<ReadonlySet<number>>(new Set([0]));
  const asking = useRef(new Map<string, AbortController>());
  const last = useRef(0);
  const current = kept.filter === filter ? kept : nothing(filter);
  /** Another one with each answer that tells of a part only. */
  const unfinished = current.searching ? current : undefined;

  const ask = useCallback(
    (page: number) => {
      const key = `${page} ${filter}`;
      if (asking.current.has(key)) return;
      const stop = new AbortController();
      asking.current.set(key, stop);
      api
        .trace({ query: { filter, from: page * PAGE, count: PAGE }, signal: stop.signal })
        .then((answer) => setKept((before) => (stop.signal.aborted ? before : taken(before, filter, page, answer))))
        .catch(() => undefined)
        .finally(() => asking.current.get(key) === stop && asking.current.delete(key));
    },
    [filter],
  );

  useEffect(() => {
    const begun = asking.current;
    wanted.current = new Set([0]);
    ask(0);
    return () => {
      for (const stop of begun.values()) stop.abort();
      begun.clear();
    };
  }, [ask]);

  // New lines may answer old ones: what is in sight is asked for again, but not for each line.
  useEffect(() => {
    const wait = Math.max(0, last.current + EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      for (const page of wanted.current) ask(page);
    }, wait);
    return () => clearTimeout(timer);
  }, [length, ask, unfinished]);

  const inSight = usePagesInSight((pages) => {
    wanted.current = pages;
    for (const page of pages) if ((current.pages.get(page)?.length ?? -1) < current.length) ask(page);
  });

  return {
    ...current,
    row(at) {
      const page = Math.floor(at / PAGE);
      inSight(page);
      return current.pages.get(page)?.rows[at - page * PAGE];
    },
  };
}
