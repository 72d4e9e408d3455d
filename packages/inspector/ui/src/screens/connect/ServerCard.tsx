import { type ReactNode, useMemo } from 'react';
import type { ServerView } from '../../../../src/api/views.ts';
import { useActions } from '../../app/palette-state.ts';
import { Dot } from '../../parts/Badge.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import { Findings, Problem } from '../../parts/Problem.tsx';
import { failureOf } from '../../parts/said.ts';
import { statusTone, statusWord } from '../../parts/server-status.ts';
import { useFindings } from '../../store/model.ts';
import { ClientSide } from './ClientSide.tsx';
import { ConnectActs, useConnect } from './ConnectActs.tsx';
import { Doctor } from './Doctor.tsx';
import { LaunchEditor } from './LaunchEditor.tsx';
import { Offers } from './Offers.tsx';
import css from './card.module.css';

function serverName({ server }: ServerView): string | undefined {
  return server === undefined ? undefined : [server.title ?? server.name, server.version].filter(Boolean).join(' ');
}

function Head({ server }: { readonly server: ServerView }): ReactNode {
  const named = serverName(server);
  return (
    <div className={css.about}>
      <h2 className={css.name}>
        <Dot tone={statusTone(server.status)} busy={server.status === 'connecting'} />
        <Inert text={server.name} most={100} />
        <span className={css.status}>
          {statusWord(server.status)}
          {server.status === 'ready' && server.connectMs !== undefined && ` in ${duration(server.connectMs)}`}
        </span>
      </h2>
      <p className={css.target}>
        {server.transport === 'stdio' ? '$ ' : ''}
        <Inert text={server.target} mono most={400} />
      </p>
      <p className={css.facts}>
        {named !== undefined && (
          <span>
            <Inert text={named} most={120} />
          </span>
        )}
        {server.revision !== undefined && <span>revision {server.revision}</span>}
        {server.era !== undefined && <span>{server.era} era</span>}
        {server.pinned !== undefined && <span>pinned to {server.pinned}</span>}
      </p>
    </div>
  );
}

/** One server: its name and status, the steps of the doctor, its problems, and its offers. */
export function ServerCard({
  server,
  readOnly,
}: {
  readonly server: ServerView;
  readonly readOnly: boolean;
}): ReactNode {
  const all = useFindings();
  const findings = useMemo(
    () => all.filter(({ session }) => session !== undefined && session === server.session),
    [all, server.session],
  );
  const { problem, doctor } = server;
  const failure = useMemo(
    () => (problem === undefined ? undefined : failureOf(problem, findings, doctor)),
    [problem, findings, doctor],
  );
  const shown = failure?.findings ?? findings;
  const acts = useConnect(server);
  useActions(
    useMemo(
      () =>
        readOnly
          ? []
          : [
              { id: `connect ${server.id}`, title: `Reconnect ${server.name}`, run: () => acts.connect() },
              { id: `disconnect ${server.id}`, title: `Disconnect ${server.name}`, run: () => acts.disconnect() },
            ],
      [readOnly, server.id, server.name, acts],
    ),
  );
  return (
    <section className={css.card} id={`server ${server.id}`} aria-label={server.name}>
      <header className={css.head}>
        <Head server={server} />
        {!readOnly && <ConnectActs server={server} acts={acts} />}
      </header>
      {failure !== undefined && <Problem problem={failure.problem} same={failure.same} />}
      {acts.problem !== undefined && <Problem problem={acts.problem} />}
      <div className={css.columns}>
        <Doctor steps={failure?.steps ?? server.doctor} />
        <Offers server={server} />
      </div>
      {!readOnly && <LaunchEditor server={server} />}
      {/* Kept while it reconnects, so that no input is lost. */}
      {(server.status === 'ready' || server.status === 'connecting') && !readOnly && <ClientSide server={server} />}
      {shown.length > 0 && (
        <section className={css.findings}>
          <h3 className={css.heading}>Findings</h3>
          <Findings findings={shown} />
        </section>
      )}
    </section>
  );
}
