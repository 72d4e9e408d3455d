import { useEffect, useState } from 'react';
import type { TraceRow } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';

/** The facts of a line. Undefined: not loaded, or there is no such line. */
export function useLineFacts(n: number | undefined, length: number): TraceRow | undefined {
  const [row, setRow] = useState<TraceRow>();
  // A pending request is answered later.
  const open = row?.outcome === 'pending' ? length : 0;
  useEffect(() => {
    if (n === undefined) return setRow(undefined);
    const stop = new AbortController();
    api
      .trace({ query: { from: n - 1, count: 1 }, signal: stop.signal })
      .then(({ rows }) => setRow(rows[0]))
      .catch(() => undefined);
    return () => stop.abort();
  }, [n, open]);
  return row?.n === n ? row : undefined;
}

/** The index of a line among the matches of a filter; -1 if it does not match. */
export async function placeOf(n: number, filter: string, signal: AbortSignal): Promise<number> {
  if (filter.trim() === '') return n - 1;
  const { matches, rows } = await api.trace({
    query: { filter: `${filter} n:<=${n}`, from: -1, count: 1 },
    signal,
  });
  return rows[0]?.n === n ? matches - 1 : -1;
}
