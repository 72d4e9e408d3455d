import type { ReactNode } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { AuthHop, AuthView } from '../../../../src/api/views.ts';
import { useCurrentServer } from '../../app/current-server.ts';
import { Badge, type Tone } from '../../parts/Badge.tsx';
import { Button, Toggle } from '../../parts/Button.tsx';
import { Evidence } from '../../parts/Evidence.tsx';
import { Inert, OutLink } from '../../parts/Inert.tsx';
import { duration } from '../../parts/numbers.ts';
import { Problem } from '../../parts/Problem.tsx';
import { post } from '../../store/api.ts';
import { useAuth, useReadOnly } from '../../store/model.ts';
import { useTask } from '../../store/use-task.ts';
import css from './auth.module.css';

const TONES: Readonly<Record<AuthHop['status'], Tone>> = { paused: 'warn', running: 'info', pass: 'ok', fail: 'bad' };

const STATUS: Readonly<Record<AuthView['status'], string>> = {
  none: 'No server has asked for a login yet.',
  running: 'The login goes on.',
  paused: 'Stopped before the next hop.',
  'waiting-for-browser': 'Log in on the page of the authorization server.',
  done: 'Logged in.',
  failed: 'The login failed.',
};

const Hop = ({ hop, release }: { readonly hop: AuthHop; readonly release: (id: string) => void }): ReactNode => (
  <li className={css.hop}>
    <p className={css.head}>
      <Badge tone={TONES[hop.status]}>{hop.status}</Badge>
      <strong>{hop.title}</strong>
      {hop.httpStatus !== undefined && <span className={css.dim}>HTTP {hop.httpStatus}</span>}
      {hop.ms !== undefined && <span className={css.dim}>{duration(hop.ms)}</span>}
      <Evidence lines={hop.evidence} />
      {hop.status === 'paused' && (
        <Button small look="primary" onPress={() => release(hop.id)}>
          Let it go on
        </Button>
      )}
    </p>
    <p className={css.where}>
      {hop.method} <Inert text={hop.url} mono most={300} />
    </p>
    {hop.verdict !== undefined && (
      <p>
        <Inert text={hop.verdict} block most={600} />
      </p>
    )}
    {hop.clause !== undefined && <p className={css.dim}>{hop.clause}</p>}
  </li>
);

const Login = ({ view }: { readonly view: AuthView }): ReactNode => {
  const acting = useTask(async (signal, body: object) => {
    await post(ROUTES.auth, body, { at: { id: view.server }, signal });
  });
  return (
    <>
      <div className={css.acts}>
        <Button look="primary" onPress={() => acting.run({ start: true })}>
          {view.hops.length === 0 ? 'Connect and log in' : 'Log in from the beginning'}
        </Button>
        <Button onPress={() => acting.run({ forget: true })}>Forget the login</Button>
        <Toggle isSelected={view.pausing} onChange={(pausing) => acting.run({ pausing })}>
          Stop before each hop
        </Toggle>
      </div>
      <p className={css.status} role="status">
        {STATUS[view.status]}
      </p>
      {view.loginUrl !== undefined && (
        <p className={css.login}>
          <OutLink href={view.loginUrl} />
        </p>
      )}
      {view.problem !== undefined && <Problem problem={view.problem} />}
      {acting.problem !== undefined && <Problem problem={acting.problem} />}
      <ol className={css.hops} aria-label="Hops">
        {view.hops.map((hop) => (
          <Hop key={hop.id} hop={hop} release={(id) => acting.run({ go: id })} />
        ))}
      </ol>
    </>
  );
};

/** How one gets in: each hop of discovery, registration, login and token. */
// oxlint-disable-next-line import/no-default-export -- loaded when it is first shown.
export default function AuthScreen(): ReactNode {
  const server = useCurrentServer();
  const view = useAuth().find((one) => one.server === server?.id);
  const readOnly = useReadOnly();
  return (
    <div className={css.screen}>
      <h1 className={css.title}>Auth</h1>
      {readOnly && <p className={css.dim}>A trace is only looked at: its hops are lines of the kind auth.</p>}
      {!readOnly && view === undefined && (
        <p className={css.dim}>
          {server === undefined
            ? 'There is no server yet.'
            : 'This server is a process: only servers at an address have a login.'}
        </p>
      )}
      {view !== undefined && <Login key={view.server} view={view} />}
    </div>
  );
}
