import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { InboxAnswer, InboxItem } from '../../../../src/api/views.ts';
import { Button, Keys } from '../../parts/Button.tsx';
import { Choice } from '../../parts/Choice.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert, OutLink } from '../../parts/Inert.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { isCommand, keyName } from '../../parts/keys.ts';
import { Problem } from '../../parts/Problem.tsx';
import { FormBoundary } from '../../form/FormBoundary.tsx';
import { post } from '../../store/api.ts';
import { useDraft } from '../../store/drafts.ts';
import { useTask } from '../../store/use-task.ts';
import { CANNED, firstContent } from './canned.ts';
import css from './inbox.module.css';

const SchemaForm = lazy(() => import('../../form/SchemaForm.tsx'));

const GARBAGE = '{"action":"accept","content":{"unexpected":[1,null,{"deep":true}]}}';

/** One question: what is asked, in which words, and every way to answer it. */
export const Item = ({ item, server }: { readonly item: InboxItem; readonly server: string }): ReactNode => {
  const answering = useTask(async (signal, answer: InboxAnswer) => {
    await post(ROUTES.inbox, answer, { at: { id: item.id }, signal });
  });
  const open = item.status === 'open';
  return (
    <section className={css.detail} aria-label="The question">
      <h2 className={css.question}>
        <Inert text={server} most={80} /> asks
      </h2>
      <p className={css.words}>
        <Inert text={item.message} block most={4_000} />
      </p>
      {item.line !== undefined && <Evidence lines={[item.line]} />}
      {item.url !== undefined && (
        <p className={css.url}>
          The page it wants visited: <OutLink href={item.url} />
        </p>
      )}
      {item.request !== undefined && (
        <div className={css.request}>
          <JsonView text={item.request} label="What the model is asked" />
        </div>
      )}
      {open ? (
        <Answering item={item} busy={answering.running} send={answering.run} />
      ) : (
        <p className={css.done}>
          {item.status === 'withdrawn' ? 'The server, or the call, no longer waits for an answer.' : 'Answered: '}
          {item.answer !== undefined && <Inert text={item.answer} mono most={300} />}
        </p>
      )}
      {answering.problem !== undefined && <Problem problem={answering.problem} />}
    </section>
  );
};

const Answering = ({
  item,
  busy,
  send,
}: {
  readonly item: InboxItem;
  readonly busy: boolean;
  readonly send: (answer: InboxAnswer) => void;
}): ReactNode => {
  const first = useMemo(() => firstContent(item), [item]);
  const [content, setContent] = useDraft(`inbox ${item.id}`, first);
  const [raw, setRaw] = useState(item.kind !== 'form');
  const [garbage, setGarbage] = useState<string>();
  const accept = (): void => {
    send(item.kind === 'url' ? { action: 'accept' } : { action: 'accept', content });
    setContent(undefined);
  };
  const editor = (
    <div className={css.editor}>
      <JsonEditor label="The answer" value={content} onChange={setContent} />
    </div>
  );
  return (
    <div
      className={css.answering}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !isCommand(event)) return;
        event.preventDefault();
        accept();
      }}
    >
      {item.kind === 'form' && !raw && item.schema !== undefined && (
        <FormBoundary instead={editor}>
          <Suspense fallback={null}>
            <SchemaForm schema={item.schema} value={content} onChange={setContent} />
          </Suspense>
        </FormBoundary>
      )}
      {item.kind !== 'url' && raw && editor}
      {item.kind === 'sampling' && (
        <Choice
          label="A ready answer"
          placeholder="A ready answer"
          value={undefined}
          options={CANNED.map(({ id, label }) => ({ id, label }))}
          onChange={(id) => setContent(CANNED.find((one) => one.id === id)?.content)}
        />
      )}
      <div className={css.acts}>
        <Button look="primary" isDisabled={busy} onPress={accept}>
          {item.kind === 'url' ? 'Say that it was visited' : 'Accept'} <Keys keys={keyName('↵')} />
        </Button>
        <Button isDisabled={busy} onPress={() => send({ action: 'decline' })}>
          Decline
        </Button>
        <Button isDisabled={busy} onPress={() => send({ action: 'cancel' })}>
          Cancel
        </Button>
        {item.kind === 'form' && (
          <Button look="quiet" onPress={() => setRaw(!raw)}>
            {raw ? 'As a form' : 'As JSON'}
          </Button>
        )}
      </div>
      <details className={css.more}>
        <summary>See how the server takes it badly</summary>
        <div className={css.acts}>
          <Button isDisabled={busy} onPress={() => send({ action: 'ignore' })}>
            Never answer
          </Button>
          <Button isDisabled={busy} onPress={() => setGarbage(garbage === undefined ? GARBAGE : undefined)}>
            Answer with garbage…
          </Button>
        </div>
        {garbage !== undefined && (
          <>
            <div className={css.editor}>
              <JsonEditor label="The result that is sent as it is" value={garbage} onChange={setGarbage} />
            </div>
            <Button look="danger" isDisabled={busy} onPress={() => send({ action: 'garbage', result: garbage })}>
              Send it as it is
            </Button>
          </>
        )}
      </details>
    </div>
  );
};
