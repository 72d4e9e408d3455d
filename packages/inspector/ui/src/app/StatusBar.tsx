import type { ReactNode } from 'react';
import { ROUTES } from '../../../src/api/routes.ts';
import { Dot } from '../parts/Badge.tsx';
import { count } from '../parts/numbers.ts';
import { useLink, useReadOnly, useTraceLength, useView } from '../store/model.ts';
import css from './statusbar.module.css';

const Lines = (): ReactNode => <span>{count(useTraceLength())} lines</span>;

/** Where everything is written, and whether the page still hears of it. */
export const StatusBar = (): ReactNode => {
  const state = useView();
  const lost = useLink() === 'lost';
  const readOnly = useReadOnly();
  if (state === undefined) return null;
  return (
    <footer className={css.bar}>
      <span className={css.link} role="status">
        <Dot tone={lost ? 'bad' : 'ok'} busy={lost} />
        {lost
          ? 'The inspector does not answer. Trying again …'
          : readOnly
            ? 'A recorded trace: nothing is connected'
            : 'Live'}
      </span>
      <a className={css.file} href={ROUTES.download} download title="Download the trace">
        {state.trace.file}
      </a>
      <Lines />
      <span className={css.by}>{state.by}</span>
    </footer>
  );
};
