import { useCallback, useEffect, useRef, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { TraceAnswer, TraceRow } from '../../../../src/api/views.ts';
import { get } from '../../store/api.ts';
import { useTraceLength } from '../../store/model.ts';

/** Rows are asked for by so many. */
const PAGE = 100;
/** Pages that are kept: what is not looked at is forgotten. */
const MOST_PAGES = 40;
/** While the trace grows, it is asked for again this often, in milliseconds. */
const EVERY_MS = 250;

interface Kept {
  readonly filter: string;
  readonly matches: number;
  /** Lines of the whole trace when it was asked. */
  readonly length: number;
  readonly pages: ReadonlyMap<number, readonly TraceRow[]>;
  readonly problem: string | undefined;
}

export interface Rows {
  readonly matches: number;
  readonly length: number;
  /** What is wrong with the filter. */
  readonly problem: string | undefined;
  /** A row by its place among the matches; undefined while it is not here yet. */
  row(at: number): TraceRow | undefined;
}

const nothing = (filter: string): Kept => ({ filter, matches: 0, length: 0, pages: new Map(), problem: undefined });

const taken = (before: Kept, filter: string, page: number, answer: TraceAnswer): Kept => {
  const from = before.filter === filter ? before : nothing(filter);
  const pages = new Map(from.pages);
  pages.delete(page);
  pages.set(page, answer.rows);
  for (const oldest of pages.keys()) {
    if (pages.size <= MOST_PAGES) break;
    pages.delete(oldest);
  }
  return { filter, matches: answer.matches, length: answer.length, pages, problem: answer.problem };
};

/** The lines that match a filter. Only those in sight are asked for, again and again while the trace grows. */
export const useRows = (filter: string): Rows => {
  const [kept, setKept] = useState(() => nothing(filter));
  const length = useTraceLength();
  const wanted = useRef(new Set<number>([0]));
  const asking = useRef(new Set<string>());
  const stop = useRef<AbortController>(undefined);
  const last = useRef(0);

  const ask = useCallback(
    (page: number) => {
      const key = `${page} ${filter}`;
      if (asking.current.has(key)) return;
      asking.current.add(key);
      get<TraceAnswer>(ROUTES.trace, {
        query: { filter, from: page * PAGE, count: PAGE },
        ...(stop.current === undefined ? {} : { signal: stop.current.signal }),
      })
        .then((answer) => setKept((before) => taken(before, filter, page, answer)))
        .catch(() => undefined)
        .finally(() => asking.current.delete(key));
    },
    [filter],
  );

  useEffect(() => {
    stop.current = new AbortController();
    wanted.current = new Set([0]);
    ask(0);
    const ended = stop.current;
    return () => ended.abort();
  }, [ask]);

  // New lines may answer old ones: what is in sight is asked for again, but not for each line.
  useEffect(() => {
    const wait = Math.max(0, last.current + EVERY_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      for (const page of wanted.current) ask(page);
    }, wait);
    return () => clearTimeout(timer);
  }, [length, ask]);

  const current = kept.filter === filter ? kept : nothing(filter);
  const seen = new Set<number>();
  useEffect(() => {
    if (seen.size === 0) return;
    wanted.current = seen;
    for (const page of seen) if (!current.pages.has(page)) ask(page);
  });

  return {
    matches: current.matches,
    length: current.length,
    problem: current.problem,
    row(at) {
      const page = Math.floor(at / PAGE);
      seen.add(page);
      return current.pages.get(page)?.[at - page * PAGE];
    },
  };
};
