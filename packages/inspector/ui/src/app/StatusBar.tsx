import type { ReactNode } from 'react';
import { ROUTES } from '../../../src/api/routes.ts';
import { Dot } from '../parts/Badge.tsx';
import { count } from '../parts/numbers.ts';
import { type LinkStatus, useLink, useReadOnly, useTraceLength, useView } from '../store/model.ts';
import css from './statusbar.module.css';

function Lines(): ReactNode {
  return <span>{count(useTraceLength())} lines</span>;
}

const GONE: Partial<Readonly<Record<LinkStatus, string>>> = {
  lost: 'The inspector does not answer. Trying again …',
  crowded: 'Open in too many pages: this page is out of date. Close one of the others.',
};

/** Shows the file of the trace, and whether the page is still connected. */
export function StatusBar(): ReactNode {
  const state = useView();
  const gone = GONE[useLink()];
  const readOnly = useReadOnly();
  if (state === undefined) return null;
  return (
    <footer className={css.bar}>
      <span className={css.link} role="status">
        <Dot tone={gone === undefined ? 'ok' : 'bad'} busy={gone !== undefined} />
        {gone ?? (readOnly ? 'A recorded trace: nothing is connected' : 'Live')}
      </span>
      <a className={css.file} href={ROUTES.download.path} download title="Download the trace">
        {state.trace.file}
      </a>
      <Lines />
      <span className={css.by}>{state.by}</span>
    </footer>
  );
}
