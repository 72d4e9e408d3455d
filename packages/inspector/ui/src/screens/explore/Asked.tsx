import { lazy, type ReactNode, Suspense } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { plural } from '../../parts/numbers.ts';
import { hrefOf } from '../../route/use-route.ts';
import type { CallQuestions } from './questions.ts';
import css from './result.module.css';

const Item = lazy(async () => ({ default: (await import('../inbox/Item.tsx')).Item }));

/** The questions of a call. The first one is answered in place, then the next. */
export function Asked({
  server,
  questions: { own, others },
}: {
  readonly server: ServerView;
  readonly questions: CallQuestions;
}): ReactNode {
  const [first, ...more] = own;
  if (first === undefined)
    return others === 0 ? null : (
      <p className={css.note}>
        The server has a question: <a href={hrefOf({ screen: 'inbox' })}>answer it in the Inbox</a>
      </p>
    );
  return (
    <div className={css.asked} data-question>
      <Suspense fallback={<p className={css.note}>Loading …</p>}>
        <Item key={first.id} item={first} server={server.name} />
      </Suspense>
      {more.length > 0 && <p className={css.note}>{plural(more.length, 'more question')} after this one</p>}
    </div>
  );
}
