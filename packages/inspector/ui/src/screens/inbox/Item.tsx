import { type ReactNode } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { InboxAnswer, InboxItem } from '../../../../src/api/views.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert, OutLink } from '../../parts/Inert.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { setQuery } from '../../route/use-route.ts';
import { post } from '../../store/api.ts';
import { useScript } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { Answering } from './Answering.tsx';
import { withAnswer } from './script-text.ts';
import css from './inbox.module.css';

const Done = ({ item }: { readonly item: InboxItem }): ReactNode => (
  <p className={css.done} role="status">
    {item.status === 'withdrawn' ? (
      'Nobody waits for an answer any more: the call ended, or the server took the question back.'
    ) : (
      <>
        Answered: <Inert text={item.answer ?? ''} mono most={300} />
        {item.by === 'script' && ', by a scripted answer'}
        {item.by === 'setting' && ', with the roots that are set on Connect'}
      </>
    )}
  </p>
);

/** One question: what is asked, in which words, and every way to answer it. */
export const Item = ({
  item,
  server,
  wants,
}: {
  readonly item: InboxItem;
  readonly server: string;
  readonly wants: string;
}): ReactNode => {
  const script = useScript();
  const answering = useTask(async (signal, answer: InboxAnswer, fromNowOn: boolean) => {
    // What came of it is seen before the next question takes the place.
    setQuery({ ask: item.id }, true);
    await post(ROUTES.inbox, answer, { at: { id: item.id }, signal });
    if (fromNowOn) await post(ROUTES.script, { text: withAnswer(script, item, answer) }, { signal });
  });
  return (
    <section className={css.question} aria-label="The question">
      <header className={css.about}>
        <h2 className={css.who}>
          <Inert text={server} most={80} /> {wants}
          {item.line !== undefined && <Evidence lines={[item.line]} />}
        </h2>
        <div className={css.words}>
          <Inert text={item.message} block most={4_000} />
        </div>
        {item.problem !== undefined && (
          <p className={css.warning}>
            <Inert text={item.problem} block most={1_000} />
          </p>
        )}
        {item.url !== undefined && (
          <p className={css.url}>
            <OutLink href={item.url} />
          </p>
        )}
      </header>
      {item.status === 'open' ? (
        <Answering item={item} busy={answering.running} send={answering.run} problem={answering.problem} />
      ) : (
        <div className={css.body}>
          <Done item={item} />
          {item.request !== undefined && (
            <div className={css.request}>
              <JsonView text={item.request} label="What the model was asked" />
            </div>
          )}
          {answering.problem !== undefined && <Problem problem={answering.problem} />}
        </div>
      )}
    </section>
  );
};
