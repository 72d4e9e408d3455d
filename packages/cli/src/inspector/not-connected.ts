import type { ProblemView } from '@tenon/inspector';
import { Failure } from '../failure.ts';

const LOG_IN = "Log in: tenon login <url>. Or send your own token: --header 'Authorization: Bearer …'";

/** The failure of a verb whose server did not become ready. `of`: the server's name, if there are several. */
export function notConnected(problem: Partial<ProblemView> | undefined, of?: string): Failure {
  const { blame, fix, kind } = problem ?? {};
  const text = problem?.message ?? 'The server did not become ready';
  const message = of === undefined || text.startsWith(`${of} `) ? text : `${of}: ${text}`;
  if (kind === 'auth' && blame === 'server') return new Failure('auth', 'login_failed', message, { blame });
  if (kind === 'auth') return new Failure('auth', 'unauthorized', message, { blame: 'you', fix: LOG_IN });
  return new Failure(kind === 'timeout' ? 'timeout' : 'unreachable', 'not_connected', message, {
    blame: blame === 'server' ? 'server' : 'unknown',
    fix,
  });
}
