import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import { type Action, useActions } from '../../app/palette-state.ts';
import { Button, Toggle } from '../../parts/Button.tsx';
import { count, plural } from '../../parts/numbers.ts';
import { VirtualList } from '../../parts/VirtualList.tsx';
import { setQuery, useRoute } from '../../route/use-route.ts';
import { useReadOnly } from '../../store/model.ts';
import { Examples, FilterField, useFilter, useFilterKey } from './FilterBar.tsx';
import { Lanes } from './Lanes.tsx';
import { RequestActs } from './RequestActs.tsx';
import { Row } from './Row.tsx';
import { placeOf, useLineFacts } from './use-line.ts';
import { type Rows, useRows } from './use-rows.ts';
import css from './trace.module.css';

const ROW_HEIGHT = 24;

const useLine = (): number | undefined => {
  const line = Number(useRoute().query.get('line'));
  return Number.isSafeInteger(line) && line > 0 ? line : undefined;
};

interface Place {
  /** The row that is chosen: -1 for none. */
  readonly at: number;
  /** The line is there, but the filter hides it. */
  readonly hidden: boolean;
  readonly follow: boolean;
  setFollow(follow: boolean): void;
  choose(at: number): void;
}

/** Which row is chosen. The address of the page says which line; where that stands depends on the filter. */
const usePlace = (rows: Rows, filter: string): Place => {
  const line = useLine();
  const [place, setPlace] = useState({ at: -1, hidden: false, move: 0 });
  // Keys are faster than what is drawn and what is answered: neither may bring back a place that was left.
  const moves = useRef(0);
  const [follow, setFollow] = useState(line === undefined);
  // A row that is not here yet is chosen as soon as it is.
  const [ahead, setAhead] = useState(false);
  const there = rows.row(place.at)?.n;
  const shown = useRef(filter);

  useEffect(() => {
    if (line === undefined) {
      // Without a line the place is kept, but not among other rows.
      const isOther = shown.current !== filter;
      shown.current = filter;
      return setPlace((before) => ({ ...before, at: isOther ? -1 : before.at, hidden: false }));
    }
    shown.current = filter;
    // Who goes through rows that are not here yet is ahead of the address.
    if (there === line || ahead) return undefined;
    setFollow(false);
    const stop = new AbortController();
    const move = moves.current;
    placeOf(line, filter, stop.signal)
      .then((at) => moves.current === move && setPlace({ at, hidden: at < 0, move }))
      .catch(() => undefined);
    return () => stop.abort();
    // Where it stood before does not matter.
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
};

const countText = ({ length, matches, searching, problem, known }: Rows, filter: string): string => {
  if (problem !== undefined) return '';
  if (!known) return '…';
  if (filter === '') return plural(length, 'line');
  return `${count(matches)} of ${count(length)}${searching ? ' …' : ''}`;
};

/** Everything that passed, line by line. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function TraceScreen(): ReactNode {
  const filter = useFilter();
  const rows = useRows(filter.asked);
  const place = usePlace(rows, filter.asked);
  const line = useLine();
  const facts = useLineFacts(line, rows.length);
  const lanes = useRoute().query.get('lanes') !== undefined;
  const readOnly = useReadOnly();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const toFilter = useCallback(() => field.current?.select(), []);
  useFilterKey(toFilter);
  const toRows = (): void => {
    list.current?.querySelector<HTMLElement>('[role=listbox]')?.focus();
    if (rows.matches > 0 && (place.at < 0 || place.at >= rows.matches)) place.choose(0);
  };
  const { follow, setFollow } = place;
  const setLanes = useCallback((on: boolean) => setQuery({ lanes: on ? '1' : undefined }, true), []);
  useActions(
    useMemo(
      (): readonly Action[] => [
        { id: 'filter', title: 'Filter the trace', keys: '/', run: () => setTimeout(toFilter) },
        {
          id: 'follow',
          title: follow ? 'Stop following the trace' : 'Follow the trace',
          run: () => setFollow(!follow),
        },
        { id: 'lanes', title: lanes ? 'Hide the lanes' : 'Show the lanes', run: () => setLanes(!lanes) },
      ],
      [follow, setFollow, lanes, setLanes, toFilter],
    ),
  );

  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1 className={css.title}>Trace</h1>
        <FilterField filter={filter} field={field} problem={rows.problem} onLeave={toRows} />
        <span className={css.counts} role="status">
          {countText(rows, filter.asked)}
        </span>
        <Toggle isSelected={follow} onChange={setFollow}>
          Follow
        </Toggle>
        <Toggle isSelected={lanes} onChange={setLanes}>
          Lanes
        </Toggle>
        <a className={css.save} href={ROUTES.download.path} download>
          Save
        </a>
      </header>
      {rows.problem !== undefined && (
        <p className={css.problem} id="filter-problem" role="alert">
          {rows.problem}
        </p>
      )}
      {filter.typed === '' && <Examples onChoose={filter.type} />}
      {place.hidden && (
        <p className={css.hidden} role="status">
          The filter hides line #{line}.{' '}
          <Button small look="quiet" onPress={() => filter.type('')}>
            Show all lines
          </Button>
        </p>
      )}
      {lanes && <Lanes line={line} />}
      <div
        className={css.rows}
        ref={list}
        onWheel={(event) => {
          if (event.deltaY < 0) setFollow(false);
        }}
      >
        <VirtualList
          label="Lines of the trace"
          count={rows.matches}
          at={follow ? rows.matches - 1 : place.at}
          onChoose={place.choose}
          rowHeight={ROW_HEIGHT}
          row={(index) => <Row row={rows.row(index)} line={line} />}
          empty={emptyText(rows, filter.asked)}
        />
      </div>
      {!readOnly && <RequestActs row={facts} />}
    </div>
  );
}

const emptyText = ({ known, searching, problem }: Rows, filter: string): string => {
  if (problem !== undefined) return '';
  if (!known || searching) return 'Looking …';
  return filter === '' ? 'Nothing has passed yet.' : 'No line matches.';
};
