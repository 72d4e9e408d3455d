import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { TraceLine } from '../../../../src/trace/line.ts';
import { prettyJson } from '../../../../src/values/json-text.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Button, Keys } from '../../parts/Button.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { isCommand, keyName } from '../../parts/keys.ts';
import { bytes, duration } from '../../parts/numbers.ts';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { sendRequest } from '../../store/requests.ts';
import { useDraft } from '../../store/drafts.ts';
import { useView } from '../../store/model.ts';
import { type Task, useTask } from '../../store/use-task.ts';
import { methodOf, paramsOf } from '../../requests/copies.ts';
import css from './acts.module.css';

const TONES: Readonly<Partial<Record<RequestAnswer['outcome'], Tone>>> = { ok: 'ok', cancelled: 'warn' };

/** A request of the trace that is sent again, and its outcome. */
export interface Again {
  readonly answer: RequestAnswer | undefined;
  readonly sending: Task<readonly [string]>;
}

export function useAgain(line: TraceLine, server: ServerView): Again {
  const [answer, setAnswer] = useState<RequestAnswer>();
  const sending = useTask(async (signal, params: string) => {
    setAnswer(undefined);
    const body = { method: methodOf(line.text), params, key: crypto.randomUUID() };
    setAnswer(await sendRequest(server.id, body, signal));
  });
  return { answer, sending };
}

function useKey({ n }: TraceLine): string {
  return `again ${useView()?.trace.began ?? ''} ${n}`;
}

/** Whether the parameters are being edited, which survives a reload of the page. */
export function useEditing(line: TraceLine) {
  const [kept, keep] = useDraft(`open ${useKey(line)}`, 'no');
  // Only opening it moves the focus into it: a restored one leaves the focus in the list.
  const [wasOpened, setWasOpened] = useState(false);
  const setEditing = useCallback(
    (on: boolean): void => {
      setWasOpened(on);
      keep(on ? 'yes' : undefined);
    },
    [keep],
  );
  return { editing: kept === 'yes', wasOpened, setEditing };
}

/** The outcome. Its lines have the details. */
export function Answered({ again: { answer, sending } }: { readonly again: Again }): ReactNode {
  return (
    <>
      {sending.running && (
        <p className={css.answer} role="status">
          Sent. No answer yet …
        </p>
      )}
      {answer !== undefined && (
        <p className={css.answer} role="status">
          <Badge tone={TONES[answer.outcome] ?? 'bad'}>{answer.outcome}</Badge> {duration(answer.ms)} ·{' '}
          {bytes(answer.bytes)}
          <Evidence lines={[answer.request, answer.response].filter((n) => n !== undefined)} />
        </p>
      )}
      {answer?.problem !== undefined && <Problem problem={answer.problem} />}
      {answer !== undefined && <Findings findings={answer.findings} />}
      {sending.problem !== undefined && <Problem problem={sending.problem} />}
    </>
  );
}

/** An editor for the parameters. Secrets that are not in the trace have to be entered again. */
export function Editing({
  line,
  again,
  isReady,
  wasOpened,
}: {
  readonly line: TraceLine;
  readonly again: Again;
  readonly isReady: boolean;
  /** The user has just opened it. */
  readonly wasOpened: boolean;
}): ReactNode {
  const [params, setParams] = useDraft(
    useKey(line),
    useMemo(() => prettyJson(paramsOf(line.text)), [line]),
  );
  const unable = !isReady || again.sending.running;
  const send = (): void => {
    if (!unable) again.sending.run(params);
  };
  return (
    <div
      className={css.edit}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !isCommand(event)) return;
        event.preventDefault();
        send();
      }}
    >
      <div className={css.editor}>
        <JsonEditor
          label={`Parameters of ${methodOf(line.text)}`}
          value={params}
          onChange={setParams}
          autoFocus={wasOpened}
        />
      </div>
      <div className={css.row}>
        <Button look="primary" isDisabled={unable} onPress={send}>
          Send <Keys keys={keyName('↵')} />
        </Button>
        {line.redacted === true && <span className={css.hint}>Secrets were removed: enter them again.</span>}
      </div>
    </div>
  );
}
