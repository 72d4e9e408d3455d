import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TraceAnswer, TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { useTraceLength } from '../../store/model.ts';

/** Rows per request. */
const PAGE = 100;
/** The most pages kept; those used least recently are dropped. */
const MAX_PAGES = 40;
/** The interval at which the trace is loaded again while it grows or is searched, in milliseconds. */
const EVERY_MS = 250;

interface Page {
  readonly rows: readonly TraceRow[];
  /** The length of the trace when the page was loaded. */
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
  /** There has been an answer. */
  readonly known: boolean;
}

export interface Rows extends Omit<Kept, 'filter' | 'pages'> {
  /** The row at an index among the matches. Undefined while it is not loaded. Starts loading it. */
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
  // Answers may arrive out of order.
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

/** The visible pages. The list renders independently of its owner, so they are collected as rows are requested. */
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

/** The lines that match a filter. Only visible ones are loaded, repeatedly while the trace grows. */
export function useRows(filter: string): Rows {
  const [kept, setKept] = useState(() => nothing(filter));
  const length = useTraceLength();
  const wanted = useRef<ReadonlySet<number>>(new Set([0]));
  const asking = useRef(new Map<string, AbortController>());
  const last = useRef(0);
  const current = kept.filter === filter ? kept : nothing(filter);
  /** Changes with each answer of an incomplete search. */
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

  // New lines may answer old requests, so the visible rows are loaded again, but not for each line.
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
