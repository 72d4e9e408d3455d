import { type ReactNode, useMemo } from 'react';
import type { AuthBody } from '../../../../src/api/bodies.ts';
import type { AuthView, ServerView } from '../../../../src/api/views.ts';
import { useCurrentServer } from '../../app/current-server.ts';
import { useActions } from '../../app/palette-state.ts';
import { Dot, type Tone } from '../../parts/Badge.tsx';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Empty, NoServer } from '../../parts/Empty.tsx';
import { Inert } from '../../parts/Inert.tsx';
import { safeLink } from '../../parts/inert.ts';
import { Problem } from '../../parts/Problem.tsx';
import { hrefOf } from '../../route/use-route.ts';
import { api } from '../../store/api.ts';
import { useAuth, useReadOnly, useServers } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import { Hop } from './Hop.tsx';
import css from './auth.module.css';

const STATUS: Readonly<Record<AuthView['status'], { readonly tone: Tone; readonly text: string }>> = {
  none: { tone: 'plain', text: 'The server has not asked for a login.' },
  running: { tone: 'info', text: 'The login is in progress …' },
  paused: { tone: 'warn', text: 'Paused before the next step.' },
  'waiting-for-browser': { tone: 'warn', text: 'Waiting for you to log in at the authorization server.' },
  done: { tone: 'ok', text: 'Logged in.' },
  failed: { tone: 'bad', text: 'The login failed.' },
};

const FORGOTTEN = {
  tone: 'warn',
  text: 'The login was forgotten. The server asks for a new one with the next request.',
} as const;
const WITHOUT = { tone: 'ok', text: 'Connected, without a login.' } as const;

/** The state of the login, in words. */
function statusOf(view: AuthView, server: ServerView): { readonly tone: Tone; readonly text: string } {
  if (view.forgotten === true) return FORGOTTEN;
  return view.status === 'none' && server.status === 'ready' ? WITHOUT : STATUS[view.status];
}

/** The page to log in at. It is never opened automatically: the user has to see its host first. */
function LoginPage({ url }: { readonly url: string }): ReactNode {
  const link = safeLink(url);
  if (link === undefined)
    return (
      <p className={css.login}>
        This is not a web address, and is not opened: <Inert text={url} mono most={300} />
      </p>
    );
  return (
    <div className={css.login}>
      <a className={css.open} href={link.href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer">
        Log in at {link.host}
      </a>
      <p className={css.address}>
        <Inert text={url} mono most={400} />
      </p>
    </div>
  );
}

function HopsOfBefore(): ReactNode {
  return (
    <>
      {' '}
      Earlier steps{' '}
      <a href={hrefOf({ screen: 'trace', query: new Map([['filter', 'kind:auth']]) })}>are in the trace</a>.
    </>
  );
}

/** The state of the login, and its actions. */
function Login({ view, server }: { readonly view: AuthView; readonly server: ServerView }): ReactNode {
  const acting = useTask(async (signal, body: AuthBody) => {
    await api.auth({ parts: { id: view.server }, body, signal });
  });
  const { run } = acting;
  const paused = view.hops.find(({ status }) => status === 'paused')?.id;
  useActions(
    useMemo(
      () => [
        ...(paused === undefined ? [] : [{ id: 'go-on', title: 'Continue this step', run: () => run({ go: paused }) }]),
        { id: 'login', title: 'Start the login again', run: () => run({ start: true }) },
        { id: 'forget', title: 'Forget the login', run: () => run({ forget: true }) },
      ],
      [paused, run],
    ),
  );
  const standing = statusOf(view, server);
  const { tone, text } = standing;
  return (
    <>
      <div className={css.acts}>
        <Button
          look={view.loginUrl === undefined && standing !== WITHOUT ? 'primary' : 'plain'}
          onPress={() => run({ start: true })}
        >
          {view.hops.length === 0 ? 'Connect and log in' : 'Start the login again'}
        </Button>
        <Button isDisabled={view.hops.length === 0} onPress={() => run({ forget: true })}>
          Forget the login
        </Button>
        <Toggle isSelected={view.pausing} onChange={(pausing) => run({ pausing })}>
          Stop before each step
        </Toggle>
      </div>
      <p className={css.status} role="status">
        <Dot tone={tone} busy={view.status === 'running'} /> {text}
      </p>
      {view.loginUrl !== undefined && <LoginPage url={view.loginUrl} />}
      {view.problem !== undefined && <Problem problem={view.problem} />}
      {acting.problem !== undefined && <Problem problem={acting.problem} />}
      {view.hops.length === 0 ? (
        <p className={css.dim}>
          Each step of the login appears here, with its request, its answer and the rule that it follows. To go through
          them one by one, stop before each step, then log in.{view.forgotten === true && <HopsOfBefore />}
        </p>
      ) : (
        <ol className={css.hops} aria-label="Steps">
          {view.hops.map((hop) => (
            <Hop key={hop.id} hop={hop} onRelease={() => run({ go: hop.id })} />
          ))}
        </ol>
      )}
    </>
  );
}

/** Shown for servers that have no login. */
function NoLogin({ server }: { readonly server: ServerView | undefined }): ReactNode {
  const others = useServers().filter(({ transport }) => transport === 'http');
  if (server === undefined) return <NoServer />;
  const text = 'This server is a process on this machine: only servers at a URL require a login.';
  if (others.length === 0)
    return (
      <Empty title="No login" act={{ title: 'Add a server at a URL', href: hrefOf({ screen: 'connect' }) }}>
        {text}
      </Empty>
    );
  return (
    <>
      <p className={css.dim}>{text}</p>
      <ul className={css.others} aria-label="Servers at a URL">
        {others.map((other) => (
          <li key={other.id}>
            <a href={hrefOf({ screen: 'auth', server: other.id })}>
              <Inert text={other.name} most={60} />
            </a>{' '}
            <span className={css.dim}>
              <Inert text={other.target} mono most={120} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function bodyOf(server: ServerView | undefined, view: AuthView | undefined, readOnly: boolean): ReactNode {
  if (readOnly)
    return (
      <p className={css.dim}>
        A recorded trace is read-only.{' '}
        <a href={hrefOf({ screen: 'trace', query: new Map([['filter', 'kind:auth']]) })}>Its steps are in the trace</a>.
      </p>
    );
  return server === undefined || view === undefined ? (
    <NoLogin server={server} />
  ) : (
    <Login key={view.server} view={view} server={server} />
  );
}

/** The steps of a login: each hop of discovery, registration, authorization and token. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function AuthScreen(): ReactNode {
  const server = useCurrentServer();
  const view = useAuth().find((one) => one.server === server?.id);
  const readOnly = useReadOnly();
  return (
    <div className={css.screen}>
      <h1 className={css.title}>
        Auth
        {server !== undefined && (
          <span className={css.of}>
            <Inert text={server.name} most={60} />
          </span>
        )}
      </h1>
      {bodyOf(server, view, readOnly)}
    </div>
  );
}
