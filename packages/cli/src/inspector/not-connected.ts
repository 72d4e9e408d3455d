import type { ProblemView } from '@tenon/inspector';
import { Failure } from '../failure/failure.ts';
import { authorizationFix } from '../failure/login-fix.ts';

/** The failure of a verb whose server did not become ready. `of`: the server's name, if there are several. */
export function notConnected(problem: Partial<ProblemView> | undefined, of?: string): Failure {
  const { blame = 'unknown', fix, kind } = problem ?? {};
  const text = problem?.message ?? 'The server did not become ready';
  const message = of === undefined || text.startsWith(`${of} `) ? text : `${of}: ${text}`;
  if (kind === 'auth' && blame === 'server') return new Failure('auth', 'login_failed', message, { blame, fix });
  if (kind === 'auth')
    return new Failure('auth', 'unauthorized', message, { blame: 'you', fix: authorizationFix(false) });
  // The server was reached, and answered wrongly.
  if (kind === 'protocol') return new Failure('protocol', 'protocol_violation', message, { blame: 'server', fix });
  return new Failure(kind === 'timeout' ? 'timeout' : 'unreachable', 'not_connected', message, {
    // The client is tenon, with what the user told it.
    blame: blame === 'client' ? 'you' : blame,
    fix,
  });
}
