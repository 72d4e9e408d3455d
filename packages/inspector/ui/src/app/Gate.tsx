import type { ReactNode } from 'react';
import type { LinkStatus } from '../store/model.ts';
import css from './gate.module.css';

/** Shown if the page has neither a cookie nor a code. */
export function Locked(): ReactNode {
  return (
    <main className={css.gate}>
      <h1>Open the link from the terminal</h1>
      <p>
        This page shows the servers that <code>tenon inspect</code> runs, so it opens only with the link that the
        command printed. The link contains a code that works once.
      </p>
      <p>
        If the link has already been used, press <kbd>Enter</kbd> in the terminal for a new one, or start the command
        again.
      </p>
    </main>
  );
}

const REASONS: Partial<Readonly<Record<LinkStatus, { readonly title: string; readonly text: ReactNode }>>> = {
  lost: {
    title: 'The inspector does not answer',
    text: (
      <>
        The command <code>tenon inspect</code> that served this page has ended or is busy. This page continues as soon
        as it answers.
      </>
    ),
  },
  crowded: {
    title: 'The inspector is open in too many pages',
    text: 'Close one of the others: this page continues a few seconds later.',
  },
};

/** Shown before the first state has arrived. */
export function Waiting({ link }: { readonly link: LinkStatus }): ReactNode {
  const reason = REASONS[link];
  return (
    <main className={css.gate} aria-busy={reason === undefined}>
      <h1>{reason?.title ?? 'Opening the inspector …'}</h1>
      {reason !== undefined && <p>{reason.text}</p>}
    </main>
  );
}
