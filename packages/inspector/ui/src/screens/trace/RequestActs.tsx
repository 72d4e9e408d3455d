import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { LinesAnswer, ServerView, TraceRow } from '../../../../src/api/views.ts';
import type { TraceLine } from '../../../../src/trace/line.ts';
import { type Action, useActions } from '../../app/palette-state.ts';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { get, post } from '../../store/api.ts';
import { useServers, useView } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { Answered, Editing, useAgain } from './Again.tsx';
import { asCurl, asTenon, isRequest, methodOf, paramsOf } from './copies.ts';
import css from './acts.module.css';

const useRequest = (n: number | undefined): TraceLine | undefined => {
  const [line, setLine] = useState<TraceLine>();
  useEffect(() => {
    setLine(undefined);
    if (n === undefined) return undefined;
    const stop = new AbortController();
    get<LinesAnswer>(ROUTES.lines, { query: { n }, signal: stop.signal })
      .then(({ lines }) => setLine(lines[0]))
      .catch(() => undefined);
    return () => stop.abort();
  }, [n]);
  return line !== undefined && isRequest(line) ? line : undefined;
};

/** The line of the request that a line is, or that it answers. */
const requestOf = (row: TraceRow | undefined): number | undefined => {
  if (row?.message === 'request' && row.from === 'client') return row.n;
  return row?.message === 'response' && row.from === 'server' ? row.pair : undefined;
};

/** The server that the session of a line belongs to: its newest connection, or an older one of the same name. */
const serverOf = (line: TraceLine | undefined, servers: readonly ServerView[]): ServerView | undefined =>
  servers.find(({ session }) => session === line?.session) ??
  servers.find(({ id }) => line?.session.replace(/(?:\.legacy)?#\d+$/, '') === id);

interface Copying {
  readonly said: string;
  readonly keeping: ReturnType<typeof useTask<readonly []>>;
  readonly acts: readonly Action[];
}

/** What a request can be copied as, and kept as. */
const useCopies = (line: TraceLine, server: ServerView): Copying => {
  const [said, setSaid] = useState('');
  const view = useView();
  const keeping = useTask(async (signal) => {
    const body = { server: server.id, name: `${methodOf(line.text)} #${line.n}`, request: line.n };
    const { file } = await post<{ file: string }>(ROUTES.tests, body, { signal });
    setSaid(`Kept as a test in ${file}.`);
  });
  const { run } = keeping;
  const { testFile } = view ?? {};
  const acts = useMemo(() => {
    const copy = (what: string, text: string): void => {
      void navigator.clipboard.writeText(text).then(
        () => setSaid(`Copied ${what}.`),
        () => setSaid('The browser did not allow copying.'),
      );
    };
    const curl = asCurl(line, server);
    return [
      { id: 'copy-tenon', title: 'Copy as tenon', run: () => copy('the command', asTenon(line, server)) },
      ...(curl === undefined
        ? []
        : [{ id: 'copy-curl', title: 'Copy as curl', run: () => copy('the curl command', curl) }]),
      ...(testFile === undefined ? [] : [{ id: 'keep', title: 'Keep as a test', run: () => run() }]),
    ];
  }, [line, server, testFile, run]);
  return { said, keeping, acts };
};

const Acts = ({
  line,
  server,
  subject,
}: {
  readonly line: TraceLine;
  readonly server: ServerView;
  readonly subject: string | undefined;
}): ReactNode => {
  const [editing, setEditing] = useState(false);
  const again = useAgain(line, server);
  const { said, keeping, acts } = useCopies(line, server);
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
      [unable, line, run, acts],
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
          {isReady ? said : said || 'The server is not connected: nothing can be sent.'}
        </span>
      </div>
      {keeping.problem !== undefined && <Problem problem={keeping.problem} />}
      {editing && <Editing line={line} again={again} isReady={isReady} />}
      <Answered again={again} />
    </section>
  );
};

/** What can be done with a request of the trace. Of an answer: with its request. */
export const RequestActs = ({ row }: { readonly row: TraceRow | undefined }): ReactNode => {
  const line = useRequest(requestOf(row));
  const server = serverOf(line, useServers());
  if (line === undefined || server === undefined) return null;
  return <Acts key={line.n} line={line} server={server} subject={row?.subject} />;
};
