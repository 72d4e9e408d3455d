import type { ProblemView } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';

/** Errors of the SDK, told apart by name. */
interface AnyError extends Error {
  readonly code?: unknown;
  readonly status?: number;
  readonly signal?: string | null;
  readonly stderr?: string;
  readonly step?: unknown;
}

const MOST_CAUSES = 10;
/** Unsupported protocol version. */
const UNSUPPORTED = -32022;

const causesOf = (error: unknown): AnyError[] => {
  const found: AnyError[] = [];
  for (let at = error; at instanceof Error && found.length < MOST_CAUSES; at = at.cause) found.push(at);
  return found;
};

/** What logging in failed with, if it did. */
export const authErrorOf = (error: unknown): { readonly step: unknown; readonly message: string } | undefined => {
  const found = causesOf(error).find(({ name }) => name === 'AuthError');
  return found === undefined ? undefined : { step: found.step, message: found.message };
};

/** Why connecting, or a request, failed; for people. What can be shown of it cites the trace. */
export const problemOf = (error: unknown, evidence: readonly number[]): ProblemView => {
  const causes = causesOf(error);
  const named = (name: string): AnyError | undefined => causes.find((cause) => cause.name === name);
  const [first] = causes;
  const message = first?.message ?? String(error);
  const tell = (blame: ProblemView['blame'], fix?: string, words = message): ProblemView => ({
    message: words,
    blame,
    ...(fix === undefined ? {} : { fix }),
    evidence,
  });
  const told = (kind: NonNullable<ProblemView['kind']>, problem: ProblemView): ProblemView => ({ ...problem, kind });

  const exit = named('ProcessExitError');
  if (exit !== undefined)
    return tell('server', 'Its stderr says more. Start the same command in a shell to see it by itself.', exit.message);
  const spawn = named('SpawnError');
  if (spawn !== undefined)
    return tell('client', 'Look at the command: the program, then its arguments.', spawn.message);
  const network = causes.find(({ code }) => typeof code === 'string' && NETWORK.has(code));
  if (network !== undefined) return tell('transport', NETWORK.get(network.code as string));
  const auth = authErrorOf(error);
  if (auth !== undefined)
    return told(
      'auth',
      tell(LOGIN_BLAME.get(auth.step) ?? 'unknown', 'The Auth screen shows the hop that failed, and what it is about.'),
    );
  const denied = causes.find(({ status }) => status === 401 || status === 403);
  if (denied !== undefined)
    return told('auth', tell('client', 'It wants credentials: log in on the Auth screen, or give a header.'));
  // A server may speak what it likes: what was asked of it was too much.
  if (causes.some(({ name, code }) => name === 'ProtocolError' && code === UNSUPPORTED))
    return tell('client', 'Connect with any revision: the server says which it speaks.');
  if (named('TimeoutError') !== undefined)
    return told('timeout', tell('unknown', 'Give it more time, or look where the trace stops.'));
  if (named('PeerError') !== undefined) return tell('server');
  const status = causes.find((cause) => cause.status !== undefined)?.status;
  if (status !== undefined && status >= 400 && status < 500)
    return tell('unknown', 'Is this the address of an MCP endpoint? Many are at /mcp.');
  if (status !== undefined) return tell('server');
  return tell('unknown');
};

/** The same without secrets. */
export const cleaned = (problem: ProblemView, { clean }: Redactor): ProblemView => ({
  ...problem,
  message: clean(problem.message).text,
});

/** Whose doing it is that a login ends at a step. That the user does not log in may be the doing of many. */
const LOGIN_BLAME: ReadonlyMap<unknown, ProblemView['blame']> = new Map([
  ['discovery', 'server'],
  ['registration', 'server'],
  ['token', 'server'],
  ['storage', 'client'],
]);

/** What the system says when nobody is there, and what to do. */
const NETWORK: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens at this address: is the server running, and on this port?'],
  ['ENOTFOUND', 'There is no such host: look at the address.'],
  ['EAI_AGAIN', 'The name of the host could not be looked up: is there a network?'],
  ['ECONNRESET', 'The connection was cut in the middle: look at the log of the server.'],
  ['ETIMEDOUT', 'The host does not answer: a firewall, or the wrong address.'],
  ['EHOSTUNREACH', 'There is no way to this host from here.'],
  ['CERT_HAS_EXPIRED', 'The certificate of the server has run out.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate is self-signed: NODE_EXTRA_CA_CERTS names a file with your own.'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'The certificate is self-signed: NODE_EXTRA_CA_CERTS names a file with your own.'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'The certificate cannot be verified: NODE_EXTRA_CA_CERTS names a file with its issuer.',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another host name.'],
  ['EPROTO', 'No TLS is spoken there: http instead of https?'],
]);
