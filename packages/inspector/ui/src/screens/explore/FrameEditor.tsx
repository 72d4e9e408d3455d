import { type ReactNode, useEffect, useState } from 'react';
import type { ServerView, TraceRow } from '../../../../src/api/views.ts';
import { Button, Keys } from '../../parts/Button.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { keyName } from '../../parts/keys.ts';
import { Problem } from '../../parts/Problem.tsx';
import { api } from '../../store/api.ts';
import { useDraft } from '../../store/drafts.ts';
import type { Offer } from '../../store/lists.ts';
import { useTraceLength } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { type Draft, frameOf } from './request-of.ts';
import { useSendKey } from './use-send-key.ts';
import { offerKey } from './tree-rows.ts';
import css from './request.module.css';

const SHOWN = 20;

function wordOf({ kind, from, message }: TraceRow): string {
  return `${from === 'client' ? '→' : from === 'server' ? '←' : ''} ${message ?? kind}`;
}

/** The lines of the session after a line. For an invalid frame, the page cannot know which of them answer it. */
function After({ line, server }: { readonly line: number; readonly server: ServerView }): ReactNode {
  const length = useTraceLength();
  const [rows, setRows] = useState<readonly TraceRow[]>([]);
  const full = rows.length >= SHOWN;
  useEffect(() => {
    if (full) return;
    const stop = new AbortController();
    const filter = `session:${JSON.stringify(server.session ?? '')} n:>=${line} -kind:http`;
    api
      .trace({ query: { filter, from: 0, count: SHOWN }, signal: stop.signal })
      .then((answer) => setRows(answer.rows))
      .catch(() => undefined);
    return () => stop.abort();
  }, [full, length, line, server.session]);
  return (
    <ol className={css.sent} aria-label="Lines after the frame">
      {rows.map((row) => (
        <li key={row.n}>
          <span className={css.kind}>{wordOf(row)}</span>
          <Evidence lines={[row.n]} />
          <span className={css.cut}>
            <Inert text={row.text} mono most={200} />
          </span>
        </li>
      ))}
    </ol>
  );
}

interface FrameProps {
  readonly offer: Offer;
  readonly server: ServerView;
  readonly draft: Draft | undefined;
}

/** A whole message, valid or not, sent unchanged. */
export function FrameEditor({ offer, server, draft }: FrameProps): ReactNode {
  const [first] = useState(() => (draft === undefined ? '' : frameOf(draft, 'by-hand-1')));
  const [text, setText] = useDraft(`frame ${offerKey(offer)}`, first);
  const [sent, setSent] = useState<number>();
  const { running, problem, run } = useTask(async (signal) => {
    setSent(undefined);
    const { line } = await api.frames({ parts: { id: server.id }, body: { text }, signal });
    setSent(line);
  });
  const ready = server.status === 'ready' && !running;
  useSendKey(ready ? run : undefined);
  const current = draft === undefined ? undefined : frameOf(draft, 'by-hand-1');
  return (
    <div className={css.frame} data-arguments>
      <div className={css.editor}>
        <JsonEditor value={text} label="Raw frame" onChange={setText} />
      </div>
      {problem !== undefined && <Problem problem={problem} />}
      {sent !== undefined && <After line={sent} server={server} />}
      <div className={css.acts}>
        <Button look="primary" isDisabled={!ready} onPress={() => run()}>
          Send anyway <Keys keys={keyName('↵')} />
        </Button>
        {current !== undefined && current !== text && (
          <Button look="quiet" onPress={() => setText(current)}>
            From the form
          </Button>
        )}
        <span className={css.why}>Sent without checks or changes.</span>
      </div>
    </div>
  );
}
