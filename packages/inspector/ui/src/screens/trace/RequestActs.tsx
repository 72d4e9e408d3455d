import { type ReactNode, useMemo } from 'react';
import type { ServerView, TraceRow } from '../../../../src/api/views.ts';
import type { TraceLine } from '../../../../src/trace/line.ts';
import { useActions } from '../../app/palette-state.ts';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { methodOf, paramsOf } from '../../requests/copies.ts';
import { useCopies, useRequestLine } from '../../requests/use-copies.ts';
import { useServers } from '../../store/model.ts';
import { Answered, Editing, useAgain, useEditing } from './Again.tsx';
import css from './acts.module.css';

/** The line of the request: this line, or the one that it answers. */
function requestOf(row: TraceRow | undefined): number | undefined {
  if (row?.message === 'request' && row.from === 'client') return row.n;
  return row?.message === 'response' && row.from === 'server' ? row.pair : undefined;
}

/** The server of a line's session: the one with this connection, otherwise one of the same name. */
function serverOf(line: TraceLine | undefined, servers: readonly ServerView[]): ServerView | undefined {
  return (
    servers.find(({ session }) => session === line?.session) ??
    servers.find(({ id }) => line?.session.replace(/(?:\.legacy)?#\d+$/, '') === id)
  );
}

function Acts({
  line,
  server,
  subject,
}: {
  readonly line: TraceLine;
  readonly server: ServerView;
  readonly subject: string | undefined;
}): ReactNode {
  const { editing, wasOpened, setEditing } = useEditing(line);
  const again = useAgain(line, server);
  const { note, keeping, acts } = useCopies(line, server);
  const isReady = server.status === 'ready';
  const unable = !isReady || again.sending.running || line.redacted === true;
  const { run } = again.sending;
  useActions(
    useMemo(
      () => [
        ...(unable ? [] : [{ id: 'replay', title: `Replay #${line.n}`, run: () => run(paramsOf(line.text)) }]),
        { id: 'edit', title: `Edit and replay #${line.n}`, run: () => setEditing(true) },
        ...acts.map((act) => ({ ...act, title: `${act.title}: #${line.n}` })),
      ],
      [unable, line, run, acts, setEditing],
    ),
  );
  return (
    <section className={css.acts} aria-label={`Request #${line.n}`}>
      <div className={css.row}>
        <span className={css.about}>
          #{line.n} <Inert text={methodOf(line.text)} mono most={80} />
          {subject !== undefined && (
            <span className={css.subject}>
              <Inert text={subject} mono most={80} />
            </span>
          )}
        </span>
        <Button small isDisabled={unable} onPress={() => run(paramsOf(line.text))}>
          Replay
        </Button>
        <Toggle small isSelected={editing} onChange={setEditing}>
          Edit and replay
        </Toggle>
        <span className={css.gap} />
        {acts.map(({ id, title, run: act }) => (
          <Button key={id} small isDisabled={id === 'keep' && keeping.running} onPress={act}>
            {title}
          </Button>
        ))}
        <span role="status" className={css.hint}>
          {isReady ? note : note || 'The server is not connected: nothing can be sent.'}
        </span>
      </div>
      {keeping.problem !== undefined && <Problem problem={keeping.problem} />}
      {editing && <Editing line={line} again={again} isReady={isReady} wasOpened={wasOpened} />}
      <Answered again={again} />
    </section>
  );
}

/** The actions for a request of the trace. For an answer, those of its request. */
export function RequestActs({ row }: { readonly row: TraceRow | undefined }): ReactNode {
  const line = useRequestLine(requestOf(row));
  const server = serverOf(line, useServers());
  if (line === undefined || server === undefined) return null;
  return <Acts key={line.n} line={line} server={server} subject={row?.subject} />;
}
