import { useEffect, useRef, useState } from 'react';
import { setQuery, useRoute } from '../../route/use-route.ts';
import { placeOf } from './use-line.ts';
import type { Rows } from './use-rows.ts';

/** The line in the route. */
export function useLine(): number | undefined {
  const line = Number(useRoute().query.get('line'));
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

export interface Place {
  /** The index of the selected row; -1: none. */
  readonly at: number;
  /** The line exists, but the filter hides it. */
  readonly hidden: boolean;
  readonly follow: boolean;
  setFollow(follow: boolean): void;
  choose(at: number): void;
}

/** The selected row. The route has the line; its index depends on the filter. */
export function usePlace(rows: Rows, filter: string): Place {
  const line = useLine();
  const [place, setPlace] = useState({ at: -1, hidden: false, move: 0 });
  // Keys are faster than rendering and answers, neither of which may restore an earlier selection.
  const moves = useRef(0);
  const [follow, setFollow] = useState(line === undefined);
  // A row that is not loaded yet is selected as soon as it is.
  const [ahead, setAhead] = useState(false);
  const there = rows.row(place.at)?.n;
  const shown = useRef(filter);

  useEffect(() => {
    if (line === undefined) {
      // Without a line the index is kept, unless the filter changed.
      const isOther = shown.current !== filter;
      shown.current = filter;
      return setPlace((before) => ({ ...before, at: isOther ? -1 : before.at, hidden: false }));
    }
    shown.current = filter;
    // While the user moves through rows that are not loaded yet, the address lags behind.
    if (there === line || ahead) return undefined;
    setFollow(false);
    const stop = new AbortController();
    const move = moves.current;
    placeOf(line, filter, stop.signal)
      .then((at) => moves.current === move && setPlace({ at, hidden: at < 0, move }))
      .catch(() => undefined);
    return () => stop.abort();
    // The previous place does not matter.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [line, filter, filter === '' ? 0 : rows.matches]);

  useEffect(() => {
    if (!ahead || there === undefined || place.move !== moves.current) return;
    setAhead(false);
    setQuery({ line: String(there) }, true);
  }, [ahead, there, place.move]);

  return {
    ...place,
    follow,
    setFollow,
    choose(at) {
      const row = rows.row(at);
      setFollow(false);
      moves.current += 1;
      setPlace({ at, hidden: false, move: moves.current });
      setAhead(row === undefined);
      if (row !== undefined) setQuery({ line: String(row.n) }, true);
    },
  };
}
