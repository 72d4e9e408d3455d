import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import { Toggle } from '../../parts/Button.tsx';
import button from '../../parts/button.module.css';
import { count } from '../../parts/numbers.ts';
import { VirtualList } from '../../parts/VirtualList.tsx';
import { setQuery, useRoute } from '../../route/use-route.ts';
import { Lanes } from './Lanes.tsx';
import { RequestActs } from './RequestActs.tsx';
import { Row } from './Row.tsx';
import { useRows } from './use-rows.ts';
import css from './trace.module.css';

const ROW_HEIGHT = 24;

const EXAMPLES = ['method:tools/call', 'status:error', 'ms:>500', 'kind:stderr', '-kind:http', 'kind:junk'];

/** Everything that passed, line by line. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function TraceScreen(): ReactNode {
  const { query } = useRoute();
  const filter = query.get('filter') ?? '';
  const [typed, setTyped] = useState(filter);
  const asked = useDeferredValue(typed);
  const rows = useRows(asked);
  const [follow, setFollow] = useState(query.get('line') === undefined);
  const [lanes, setLanes] = useState(false);
  const [at, setAt] = useState(-1);
  const line = query.get('line');

  useEffect(() => setTyped(filter), [filter]);
  useEffect(() => {
    if (asked !== filter) setQuery({ filter: asked === '' ? undefined : asked }, true);
    // The address follows what is typed, not the other way round.
  }, [asked]);

  const choose = (next: number): void => {
    setFollow(false);
    setAt(next);
    const row = rows.row(next);
    if (row !== undefined) setQuery({ line: String(row.n) }, true);
  };

  return (
    <div className={css.screen}>
      <header className={css.head}>
        <h1 className={css.title}>Trace</h1>
        <input
          className={css.filter}
          type="search"
          aria-label="Filter"
          placeholder="Filter: method:tools/call ms:>500 status:error"
          value={typed}
          spellCheck={false}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(-1);
          }}
        />
        <span className={css.counts} role="status">
          {asked === '' ? `${count(rows.length)} lines` : `${count(rows.matches)} of ${count(rows.length)}`}
        </span>
        <Toggle small isSelected={follow} onChange={setFollow}>
          Follow
        </Toggle>
        <Toggle small isSelected={lanes} onChange={setLanes}>
          Lanes
        </Toggle>
        <a className={button.button} href={ROUTES.download} download>
          Save
        </a>
      </header>
      {rows.problem !== undefined && (
        <p className={css.problem} role="alert">
          {rows.problem}
        </p>
      )}
      {typed === '' && (
        <p className={css.examples}>
          {EXAMPLES.map((example) => (
            <button key={example} type="button" className={css.example} onClick={() => setTyped(example)}>
              {example}
            </button>
          ))}
        </p>
      )}
      {lanes && <Lanes />}
      <div className={css.rows}>
        <VirtualList
          label="Lines of the trace"
          count={rows.matches}
          at={follow ? rows.matches - 1 : at}
          onChoose={choose}
          rowHeight={ROW_HEIGHT}
          row={(index) => <Row row={rows.row(index)} />}
          empty={asked === '' ? 'Nothing has passed yet.' : 'No line matches.'}
        />
      </div>
      <RequestActs n={line === undefined ? undefined : Number(line)} />
    </div>
  );
}
