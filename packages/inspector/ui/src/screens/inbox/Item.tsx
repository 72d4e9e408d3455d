import { type ReactNode, useCallback, useRef } from 'react';
import type { InboxAnswer } from '../../../../src/api/bodies.ts';
import type { InboxItem } from '../../../../src/api/views.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert, OutLink } from '../../parts/Inert.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useKept } from '../../store/drafts.ts';
import { useScript } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { Answering, useAnswerKey } from './Answering.tsx';
import { isScripted, withAnswer } from './script-text.ts';
import { WANTS } from './wants.ts';
import css from './inbox.module.css';

function Done({ item, scripted }: { readonly item: InboxItem; readonly scripted: boolean }): ReactNode {
  return (
    <p className={css.done} role="status">
      {item.status === 'withdrawn' ? (
        'Withdrawn. No answer is needed any more: the call ended, or the server cancelled the question.'
      ) : (
        <>
          Answered: <Inert text={item.answer ?? ''} mono most={300} />
          {item.by === 'script' && ', by a scripted answer'}
          {item.by === 'setting' && ', with the roots configured on Connect'}
          {item.by === undefined && scripted && '. The same question is now always answered this way.'}
        </>
      )}
    </p>
  );
}

/** The draft of an answer that was never sent. */
function Written({ item }: { readonly item: InboxItem }): ReactNode {
  const [text] = useKept(useAnswerKey(item));
  return (
    text !== undefined && (
      <div className={css.request}>
        <h3 className={css.label}>Draft that was not sent</h3>
        <JsonView text={text} label="Draft that was not sent" />
      </div>
    )
  );
}

/** Sends the answer to a question once, even if the button is pressed twice. */
function useAnswering(item: InboxItem) {
  const script = useScript();
  const sent = useRef(false);
  // Not aborted when the screen changes: otherwise the script would not be saved if the user moves on.
  const { running, problem, run } = useTask(async (_, answer: InboxAnswer, fromNowOn: boolean) => {
    try {
      await api.inbox({ parts: { id: item.id }, body: answer });
    } catch (error) {
      sent.current = false;
      throw error;
    }
    if (fromNowOn) await api.script({ body: { text: withAnswer(script, item, answer) } });
  });
  const send = useCallback(
    (answer: InboxAnswer, fromNowOn: boolean): void => {
      if (sent.current) return;
      sent.current = true;
      run(answer, fromNowOn);
    },
    [run],
  );
  return { scripted: isScripted(script, item), running, problem, send };
}

/** One question: its text, and every way to answer it. */
export function Item({ item, server }: { readonly item: InboxItem; readonly server: string }): ReactNode {
  const answering = useAnswering(item);
  return (
    <section className={css.question} aria-label="The question">
      <header className={css.about}>
        <h2 className={css.who} tabIndex={-1}>
          <Inert text={server} most={80} /> {WANTS[item.kind]}
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
        <Answering item={item} busy={answering.running} send={answering.send} problem={answering.problem} />
      ) : (
        <div className={css.body}>
          <Done item={item} scripted={answering.scripted} />
          {item.status === 'withdrawn' && <Written item={item} />}
          {item.request !== undefined && (
            <div className={css.request}>
              <JsonView text={item.request} label="Request to the model" />
            </div>
          )}
          {answering.problem !== undefined && <Problem problem={answering.problem} />}
        </div>
      )}
    </section>
  );
}
