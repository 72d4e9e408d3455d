import { type ReactNode, type RefObject, useCallback, useMemo, useRef } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import { type Action, useActions } from '../../app/palette-state.ts';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Empty } from '../../parts/Empty.tsx';
import { count, plural } from '../../parts/numbers.ts';
import { VirtualList } from '../../parts/VirtualList.tsx';
import { hrefOf, setQuery, useRoute } from '../../route/use-route.ts';
import { useReadOnly } from '../../store/model.ts';
import { Examples, FilterField, type TypedFilter, useFilter, useFilterKey } from './FilterBar.tsx';
import { Lanes } from './Lanes.tsx';
import { RequestActs } from './RequestActs.tsx';
import { Row } from './Row.tsx';
import { useLineFacts } from './use-line.ts';
import { type Place, useLine, usePlace } from './use-place.ts';
import { type Rows, useRows } from './use-rows.ts';
import css from './trace.module.css';

const ROW_HEIGHT = 24;

function countText({ length, matches, searching, problem, known }: Rows, filter: string): string {
  if (problem !== undefined) return '';
  if (!known) return '…';
  if (filter === '') return plural(length, 'line');
  return `${count(matches)} of ${count(length)}${searching ? ' …' : ''}`;
}

interface LanesToggle {
  readonly shown: boolean;
  show(on: boolean): void;
}

/** The route says whether the lanes are shown. */
function useLanesToggle(): LanesToggle {
  const shown = useRoute().query.get('lanes') !== undefined;
  const show = useCallback((on: boolean) => setQuery({ lanes: on ? '1' : undefined }, true), []);
  return { shown, show };
}

function useTraceActions(toFilter: () => void, { follow, setFollow }: Place, { shown, show }: LanesToggle): void {
  useActions(
    useMemo(
      (): readonly Action[] => [
        { id: 'filter', title: 'Filter the trace', keys: '/', run: () => setTimeout(toFilter) },
        {
          id: 'follow',
          title: follow ? 'Stop following the trace' : 'Follow the trace',
          run: () => setFollow(!follow),
        },
        { id: 'lanes', title: shown ? 'Hide the lanes' : 'Show the lanes', run: () => show(!shown) },
      ],
      [follow, setFollow, shown, show, toFilter],
    ),
  );
}

function Header({
  filter,
  field,
  rows,
  place,
  lanes,
  onLeave,
}: {
  readonly filter: TypedFilter;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly rows: Rows;
  readonly place: Place;
  readonly lanes: LanesToggle;
  readonly onLeave: () => void;
}): ReactNode {
  return (
    <header className={css.head}>
      <h1 className={css.title}>Trace</h1>
      <FilterField filter={filter} field={field} problem={rows.problem} onLeave={onLeave} />
      <span className={css.counts} role="status">
        {countText(rows, filter.asked)}
      </span>
      <Toggle isSelected={place.follow} onChange={place.setFollow}>
        Follow
      </Toggle>
      <Toggle isSelected={lanes.shown} onChange={lanes.show}>
        Lanes
      </Toggle>
      <a className={css.save} href={ROUTES.download.path} download>
        Save
      </a>
    </header>
  );
}

/** The trace, line by line. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function TraceScreen(): ReactNode {
  const filter = useFilter();
  const rows = useRows(filter.asked);
  const place = usePlace(rows, filter.asked);
  const line = useLine();
  const facts = useLineFacts(line, rows.length);
  const lanes = useLanesToggle();
  const readOnly = useReadOnly();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  const toFilter = useCallback(() => field.current?.select(), []);
  useFilterKey(toFilter);
  const toRows = (): void => {
    list.current?.querySelector<HTMLElement>('[role=listbox]')?.focus();
    if (rows.matches > 0 && (place.at < 0 || place.at >= rows.matches)) place.choose(0);
  };
  useTraceActions(toFilter, place, lanes);

  return (
    <div className={css.screen}>
      <Header filter={filter} field={field} rows={rows} place={place} lanes={lanes} onLeave={toRows} />
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
      {lanes.shown && <Lanes line={line} />}
      <div
        className={css.rows}
        ref={list}
        onWheel={(event) => {
          if (event.deltaY < 0) place.setFollow(false);
        }}
      >
        <VirtualList
          label="Lines of the trace"
          count={rows.matches}
          at={place.follow ? rows.matches - 1 : place.at}
          onChoose={place.choose}
          rowHeight={ROW_HEIGHT}
          row={(index) => <Row row={rows.row(index)} line={line} />}
          empty={<Nothing rows={rows} filter={filter} />}
        />
      </div>
      {!readOnly && <RequestActs row={facts} />}
    </div>
  );
}

/** Shown if the list has no rows. */
function Nothing({
  rows: { known, searching, problem },
  filter,
}: {
  readonly rows: Rows;
  readonly filter: TypedFilter;
}): ReactNode {
  if (problem !== undefined) return null;
  if (!known || searching) return 'Looking …';
  return filter.asked === '' ? (
    <Empty title="No messages yet" act={{ title: 'Connect a server', href: hrefOf({ screen: 'connect' }) }}>
      Every message between the client and a server appears here, as it was on the wire.
    </Empty>
  ) : (
    <Empty title="No line matches" act={{ title: 'Show all lines', run: () => filter.type('') }} />
  );
}
