import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import type { InboxAnswer } from '../../../../src/api/bodies.ts';
import type { InboxItem, ProblemView } from '../../../../src/api/views.ts';
import { FormBoundary } from '../../form/FormBoundary.tsx';
import { Button, Keys, Toggle } from '../../parts/Button.tsx';
import { Choice } from '../../parts/Choice.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { isCommand, keyName } from '../../parts/keys.ts';
import { Problem } from '../../parts/Problem.tsx';
import { useActions } from '../../app/palette-state.ts';
import { useDraft } from '../../store/drafts.ts';
import { useView } from '../../store/model.ts';
import { CANNED, firstContent } from './canned.ts';
import { messagesIn } from './sampling.ts';
import css from './inbox.module.css';

const SchemaForm = lazy(() => import('../../form/SchemaForm.tsx'));

const GARBAGE = '{"action":"accept","content":{"unexpected":[1,null,{"deep":true}]}}';

interface AnsweringProps {
  readonly item: InboxItem;
  readonly busy: boolean;
  readonly problem: ProblemView | undefined;
  /** `fromNowOn`: also answer the same question this way automatically in future. */
  readonly send: (answer: InboxAnswer, fromNowOn: boolean) => void;
}

function Editor({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}): ReactNode {
  return (
    <div className={css.editor}>
      <JsonEditor label={label} value={value} onChange={onChange} />
    </div>
  );
}

/** The sampling request on the left, the answer on the right. */
function Sampling({
  item,
  content,
  onContent,
}: {
  readonly item: InboxItem;
  readonly content: string;
  readonly onContent: (text: string) => void;
}): ReactNode {
  const { request = '{}' } = item;
  const messages = useMemo(() => messagesIn(request), [request]);
  return (
    <div className={css.beside}>
      <div className={css.column}>
        <h3 className={css.label}>Request to the model</h3>
        <dl className={css.spoken}>
          {messages.map(({ role, text }, at) => (
            <div key={at}>
              <dt>
                <Inert text={role} most={40} />
              </dt>
              <dd>
                <Inert text={text} block />
              </dd>
            </div>
          ))}
        </dl>
        <details>
          <summary>The whole request</summary>
          <div className={css.request}>
            <JsonView text={request} label="The whole request" />
          </div>
        </details>
      </div>
      <div className={css.column}>
        <h3 className={css.label}>Response of the model</h3>
        <Editor label="The answer" value={content} onChange={onContent} />
        <Choice
          label="A sample response"
          placeholder="Use a sample response"
          value={CANNED.find((one) => one.content === content)?.id}
          options={CANNED.map(({ id, label }) => ({ id, label }))}
          onChange={(id) => onContent(CANNED.find((one) => one.id === id)!.content)}
        />
      </div>
    </div>
  );
}

/** The key of the draft of an answer. */
export function useAnswerKey({ id }: InboxItem): string {
  return `inbox ${useView()?.trace.began ?? ''} ${id}`;
}

function hasFields(schema: string): boolean {
  const { properties = {} } = JSON.parse(schema) as { properties?: object };
  return Object.keys(properties).length > 0;
}

function Form({
  schema,
  raw,
  content,
  onContent,
}: {
  readonly schema: string;
  readonly raw: boolean;
  readonly content: string;
  readonly onContent: (text: string) => void;
}): ReactNode {
  const editor = <Editor label="The answer" value={content} onChange={onContent} />;
  if (raw) return editor;
  if (!hasFields(schema)) return <p className={css.dim}>It has no fields: accept or decline it.</p>;
  return (
    <FormBoundary instead={editor}>
      <Suspense fallback={<p className={css.dim}>Loading …</p>}>
        <SchemaForm schema={schema} value={content} onChange={onContent} />
      </Suspense>
    </FormBoundary>
  );
}

/** Invalid answers, which a server has to tolerate. */
function InvalidAnswer({
  draft,
  busy,
  fromNowOn,
  send,
}: {
  /** The key of its draft. */
  readonly draft: string;
  readonly busy: boolean;
  readonly fromNowOn: boolean;
  readonly send: (answer: InboxAnswer) => void;
}): ReactNode {
  const [garbage, setGarbage] = useDraft(draft, GARBAGE);
  return (
    <div className={css.badly}>
      <p className={css.dim}>
        Without an answer, you see when the server gives up. The text below is sent as the result, unchanged.
      </p>
      {fromNowOn && (
        <p className={css.dim} role="status">
          Only “Never answer” can be used automatically. A result that is sent unchanged cannot be scripted: it is sent
          only once.
        </p>
      )}
      <Editor label="Result to send unchanged" value={garbage} onChange={setGarbage} />
      <div className={css.acts}>
        <Button look="danger" isBusy={busy} onPress={() => send({ action: 'garbage', result: garbage })}>
          Send unchanged
        </Button>
        <Button look="danger" isBusy={busy} onPress={() => send({ action: 'ignore' })}>
          Never answer
        </Button>
      </div>
    </div>
  );
}

/** Options of an answer, besides its content. */
interface AnswerOptions {
  /** Sends an answer that no server can use, or none. */
  readonly badly: boolean;
  /** Edits the answer to a form as JSON. */
  readonly raw: boolean;
  /** Also answers the same question this way automatically in future. */
  readonly fromNowOn: boolean;
}

const NO_OPTIONS: AnswerOptions = { badly: false, raw: false, fromNowOn: false };

function Footer({
  kind,
  busy,
  options,
  onOptions,
  accept,
  send,
}: {
  readonly kind: InboxItem['kind'];
  readonly busy: boolean;
  readonly options: AnswerOptions;
  readonly onOptions: (change: Partial<AnswerOptions>) => void;
  readonly accept: () => void;
  readonly send: (answer: InboxAnswer) => void;
}): ReactNode {
  return (
    <footer className={css.acts}>
      <Button look="primary" isBusy={busy} onPress={accept}>
        {kind === 'url' ? 'I opened it' : 'Accept'} {!options.badly && <Keys keys={keyName('↵')} />}
      </Button>
      <Button isBusy={busy} onPress={() => send({ action: 'decline' })}>
        Decline
      </Button>
      <Button isBusy={busy} onPress={() => send({ action: 'cancel' })}>
        Cancel
      </Button>
      <span className={css.gap} />
      {kind === 'form' && !options.badly && (
        <Toggle look="quiet" isSelected={options.raw} onChange={(raw) => onOptions({ raw })}>
          As JSON
        </Toggle>
      )}
      <Toggle look="quiet" isSelected={options.fromNowOn} onChange={(fromNowOn) => onOptions({ fromNowOn })}>
        Always answer this way
      </Toggle>
      <Toggle look="quiet" isSelected={options.badly} onChange={(badly) => onOptions({ badly })}>
        Send invalid answer
      </Toggle>
    </footer>
  );
}

function useAnswerActions(accept: () => void, send: (answer: InboxAnswer) => void): void {
  useActions(
    useMemo(
      () => [
        { id: 'accept', title: 'Accept the question', keys: keyName('↵'), run: accept },
        { id: 'decline', title: 'Decline the question', run: () => send({ action: 'decline' }) },
        { id: 'cancel', title: 'Cancel the question', run: () => send({ action: 'cancel' }) },
      ],
      [accept, send],
    ),
  );
}

/** Every way to answer a question. */
export function Answering({ item, busy, problem, send: answer }: AnsweringProps): ReactNode {
  const first = useMemo(() => firstContent(item), [item]);
  const key = useAnswerKey(item);
  const [content, setContent] = useDraft(key, first);
  const [options, setOptions] = useState(NO_OPTIONS);
  const { badly, raw, fromNowOn } = options;
  const { kind } = item;
  const send = useCallback((given: InboxAnswer): void => answer(given, fromNowOn), [answer, fromNowOn]);
  const accept = useCallback((): void => {
    if (!busy) send(kind === 'url' ? { action: 'accept' } : { action: 'accept', content });
  }, [busy, send, kind, content]);
  useAnswerActions(accept, send);
  return (
    <div
      className={css.answering}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !isCommand(event) || badly) return;
        event.preventDefault();
        accept();
      }}
    >
      <div className={css.body} data-arguments>
        {badly ? (
          <InvalidAnswer draft={`badly ${key}`} busy={busy} fromNowOn={fromNowOn} send={send} />
        ) : (
          <>
            {item.kind === 'form' && item.schema !== undefined && (
              <Form schema={item.schema} raw={raw} content={content} onContent={setContent} />
            )}
            {item.kind === 'roots' && <Editor label="The answer" value={content} onChange={setContent} />}
            {item.kind === 'sampling' && <Sampling item={item} content={content} onContent={setContent} />}
          </>
        )}
        {problem !== undefined && <Problem problem={problem} />}
      </div>
      <Footer
        kind={kind}
        busy={busy}
        options={options}
        onOptions={(change) => setOptions((before) => ({ ...before, ...change }))}
        accept={accept}
        send={send}
      />
    </div>
  );
}
