import type { ReactNode } from 'react';
import css from './gate.module.css';

/** The page has no cookie and no code. */
export const Locked = (): ReactNode => (
  <main className={css.gate}>
    <h1>Open the link from the terminal</h1>
    <p>
      This page shows the servers that <code>tenon inspect</code> runs, so it opens only with the link that the command
      printed. The link holds a code that works once.
    </p>
    <p>
      If the link was used already, press <kbd>Enter</kbd> in the terminal for a new one, or start the command again.
    </p>
  </main>
);

export const Waiting = ({ lost }: { readonly lost: boolean }): ReactNode => (
  <main className={css.gate} aria-busy={!lost}>
    <h1>{lost ? 'The inspector does not answer' : 'Opening the inspector …'}</h1>
    {lost && (
      <p>
        The command <code>tenon inspect</code> that served this page has ended or is busy. This page goes on as soon as
        it answers.
      </p>
    )}
  </main>
);
