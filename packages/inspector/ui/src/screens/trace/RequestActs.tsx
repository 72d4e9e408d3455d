import { type ReactNode, useEffect, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { LinesAnswer, RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { TraceLine } from '../../../../src/trace/line.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { Button, Keys } from '../../parts/Button.tsx';
import { JsonEditor } from '../../parts/JsonEditor.tsx';
import { keyName } from '../../parts/keys.ts';
import { duration } from '../../parts/numbers.ts';
import { Evidence } from '../../parts/Evidence.tsx';
import { Problem } from '../../parts/Problem.tsx';
import { get, post } from '../../store/api.ts';
import { useServers, useView } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { asCurl, asTenon, isRequest, paramsOf } from './copies.ts';
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

/** The server that the session of a line belongs to: its newest connection, or an older one of the same name. */
const serverOf = (line: TraceLine | undefined, servers: readonly ServerView[]): ServerView | undefined =>
  servers.find(({ session }) => session === line?.session) ??
  servers.find(({ id }) => line?.session.startsWith(`${id}#`) === true);

const Answered = ({ answer }: { readonly answer: RequestAnswer }): ReactNode => (
  <p className={css.answer} role="status">
    {answer.outcome} in {duration(answer.ms)}{' '}
    <Evidence lines={[answer.request, answer.response].filter((n) => n !== undefined)} />
  </p>
);

const Again = ({ line, server }: { readonly line: TraceLine; readonly server: ServerView }): ReactNode => {
  const [params, setParams] = useState<string>();
  const [answer, setAnswer] = useState<RequestAnswer>();
  const method = JSON.parse(memberText(line.text, 'method') ?? '""') as string;
  const sending = useTask(async (signal, text: string) => {
    setAnswer(undefined);
    const body = { method, params: text, key: crypto.randomUUID() };
    setAnswer(await post<RequestAnswer>(ROUTES.requests, body, { at: { id: server.id }, signal }));
  });
  const unable = server.status !== 'ready' || sending.running;
  return (
    <>
      <div className={css.row}>
        <Button small isDisabled={unable || line.redacted === true} onPress={() => sending.run(paramsOf(line.text))}>
          Replay
        </Button>
        <Button small onPress={() => setParams(params === undefined ? paramsOf(line.text) : undefined)}>
          {params === undefined ? 'Edit and replay' : 'Close the editor'}
        </Button>
        {line.redacted === true && (
          <span className={css.hint}>Secrets were taken out: edit before you send it again.</span>
        )}
      </div>
      {params !== undefined && (
        <div className={css.edit}>
          <div className={css.editor}>
            <JsonEditor label={`Parameters of ${method}`} value={params} onChange={setParams} />
          </div>
          <Button look="primary" isDisabled={unable} onPress={() => sending.run(params)}>
            Send <Keys keys={keyName('↵')} />
          </Button>
        </div>
      )}
      {answer !== undefined && <Answered answer={answer} />}
      {sending.problem !== undefined && <Problem problem={sending.problem} />}
    </>
  );
};

const Copies = ({ line, server }: { readonly line: TraceLine; readonly server: ServerView }): ReactNode => {
  const [said, setSaid] = useState('');
  const view = useView();
  const copy = (what: string, text: string): void => {
    void navigator.clipboard.writeText(text).then(
      () => setSaid(`Copied ${what}.`),
      () => setSaid('The browser did not allow copying.'),
    );
  };
  const keeping = useTask(async (signal) => {
    const name = `${JSON.parse(memberText(line.text, 'method') ?? '""') as string} #${line.n}`;
    const { file } = await post<{ file: string }>(
      ROUTES.tests,
      { server: server.id, name, request: line.n },
      { signal },
    );
    setSaid(`Kept as a test in ${file}.`);
  });
  const curl = asCurl(line, server);
  return (
    <div className={css.row}>
      <Button small onPress={() => copy('the command', asTenon(line, server))}>
        Copy as tenon
      </Button>
      {curl !== undefined && (
        <Button small onPress={() => copy('the curl command', curl)}>
          Copy as curl
        </Button>
      )}
      {view?.testFile !== undefined && (
        <Button small isDisabled={keeping.running} onPress={() => keeping.run()}>
          Keep as a test
        </Button>
      )}
      <span role="status" className={css.hint}>
        {said}
      </span>
      {keeping.problem !== undefined && <Problem problem={keeping.problem} />}
    </div>
  );
};

/** What can be done with a request of the trace. */
export const RequestActs = ({ n }: { readonly n: number | undefined }): ReactNode => {
  const line = useRequest(n);
  const server = serverOf(line, useServers());
  if (line === undefined || server === undefined) return null;
  return (
    <section className={css.acts} aria-label={`Request #${line.n}`}>
      <Again key={line.n} line={line} server={server} />
      <Copies key={`copy ${line.n}`} line={line} server={server} />
    </section>
  );
};
