import { fixForPath } from '@tenon/values/find-endpoint';
import { loginFault } from '@tenon/values/login-fault';
import { fixForVariable } from '@tenon/values/missing-variable';
import { FRAMING } from '@tenon/values/framing';
import { fixForPeer, SESSION_FIX } from '@tenon/values/peer-fix';
import { CODE } from 'tenon/internal';
import type { ProblemView } from '../api/views.ts';
import type { Redactor } from '../record/redact.ts';
import { ENDED_FIX, wasEnded } from '../rules/pipe/process.ts';
import type { Target } from './contract.ts';
import { quotedStderr, type StderrLine, tellingLines } from '../rules/pipe/stderr-lines.ts';
import type { TraceIndex } from '../trace/trace-index.ts';

/** Errors of the SDK, distinguished by name. */
interface AnyError extends Error {
  readonly code?: unknown;
  readonly exitCode?: number | null;
  readonly status?: number;
  readonly signal?: string | null;
  readonly stderr?: string;
  readonly step?: unknown;
}

const MAX_CAUSES = 10;

function causesOf(error: unknown): AnyError[] {
  const found: AnyError[] = [];
  for (let at = error; at instanceof Error && found.length < MAX_CAUSES; at = at.cause) found.push(at);
  return found;
}

function isExit({ name }: AnyError): boolean {
  return name === 'ProcessExitError';
}

/** The last lines of stderr that are cited. */
const MAX_STDERR = 5;

/** The lines that show why something failed. For a process that ended, also its last lines of stderr, and its exit. */
export function evidenceOf(
  error: unknown,
  { all }: Pick<TraceIndex, 'all'>,
  session: string,
  lines: readonly number[],
): readonly number[] {
  if (!causesOf(error).some(isExit)) return lines;
  const cited = new Set(lines);
  for (let i = all.length - 1, words = 0; i >= 0 && words < MAX_STDERR; i--) {
    const { n, kind, session: its } = all[i]!;
    if (its !== session) continue;
    if (kind === 'open') break;
    if (kind === 'exit' || kind === 'stderr') cited.add(n);
    if (kind === 'stderr') words++;
  }
  return [...cited].toSorted((a, b) => a - b);
}

/** The same for a connection that failed or ended: from its last line. */
export function evidenceAt(
  error: unknown,
  index: Pick<TraceIndex, 'all'>,
  line: { readonly n: number; readonly session: string } | undefined,
): readonly number[] {
  return line === undefined ? [] : evidenceOf(error, index, line.session, [line.n]);
}

/** Who is to blame for the end of a process, and what to do. The same as the rules say, because both are shown on one screen. */
function endOf({ exitCode, signal, stderr }: AnyError): readonly [blame: ProblemView['blame'], fix: string] {
  const ending = { code: exitCode ?? undefined, signal: signal ?? undefined };
  if (wasEnded(ending)) return ['unknown', ENDED_FIX];
  if (exitCode === 0 && (stderr ?? '').trim() === '')
    return ['server', 'It ended without an error: it may only export a server, which tenon run <file> serves.'];
  const says = stderr === undefined || stderr.trim() === '' ? '' : 'Its stderr says more. ';
  const variable = fixForVariable(stderr);
  if (variable !== undefined) return ['server', variable];
  return ['server', `${says}Start the same command in a shell to see its output.`];
}

/** The error of a failed login, if there is one. */
export function authErrorOf(error: unknown): Pick<AnyError, 'code' | 'step' | 'message'> | undefined {
  return causesOf(error).find(({ name }) => name === 'AuthError');
}

/** Its body is an MCP answer, but not its content type. The SDK says so in the message. */
function isMistyped(error: AnyError | undefined): boolean {
  return error?.name === 'ConnectionError' && error.message.endsWith(': an MCP answer needs application/json');
}

/** Does something else than an MCP endpoint answer at the address? */
function isWrongAddress(error: unknown): boolean {
  const causes = causesOf(error);
  const status = causes.find((cause) => cause.status !== undefined)?.status;
  return status !== undefined && status < 500 && status !== 401 && status !== 403 && !isMistyped(causes[0]);
}

/** The advice if something else than an MCP endpoint answers; `withPath` replaces it by what it finds. */
const WRONG_ADDRESS = 'Is this the address of an MCP endpoint?';

/** Why connecting, or a request, failed, for people. `evidence`: the lines to cite. `hasAnsweredOpening`: the address is that of an MCP endpoint. */
export function problemOf(error: unknown, evidence: readonly number[], hasAnsweredOpening = false): ProblemView {
  const causes = causesOf(error);
  const named = (name: string): AnyError | undefined => causes.find((cause) => cause.name === name);
  const [first] = causes;
  const message = first?.message ?? String(error);
  const viewOf = (blame: ProblemView['blame'], fix?: string, words = message): ProblemView => ({
    message: words,
    blame,
    fix,
    evidence,
  });
  const withKind = (kind: NonNullable<ProblemView['kind']>, problem: ProblemView): ProblemView => ({
    ...problem,
    kind,
  });

  const exit = causes.find(isExit);
  if (exit !== undefined) return viewOf(...endOf(exit), exit.message);
  const spawn = named('SpawnError');
  if (spawn !== undefined)
    return viewOf('client', 'Look at the command: the program, then its arguments.', spawn.message);
  if (named('FramingError') !== undefined) return withKind('protocol', viewOf('server', FRAMING.fix, FRAMING.message));
  const network = causes.find(({ code }) => typeof code === 'string' && NETWORK.has(code));
  if (network !== undefined) return viewOf('transport', NETWORK.get(network.code as string));
  const auth = authErrorOf(error);
  if (auth !== undefined) {
    const { blame = 'unknown', fix = 'Look at the failed step of the login: its request and its answer.' } =
      loginFault(auth) ?? {};
    return withKind('auth', viewOf(blame, fix));
  }
  const denied = causes.find(({ status }) => status === 401 || status === 403);
  if (denied !== undefined)
    return withKind('auth', viewOf('client', 'It requires credentials: log in, or set a header.'));
  // A server may choose its revisions, so the client asked for the wrong one.
  if (causes.some(({ name, code }) => name === 'ProtocolError' && code === CODE.unsupportedVersion))
    return viewOf('client', 'Connect with any revision: the server then chooses one that it supports.');
  if (named('TimeoutError') !== undefined)
    return withKind('timeout', viewOf('unknown', 'Give it more time, or look where the trace stops.'));
  const peer = named('PeerError');
  if (peer !== undefined) return viewOf('server', fixForPeer(peer.code));
  if (isMistyped(first))
    return withKind('protocol', viewOf('server', 'Send the header Content-Type: application/json with each answer.'));
  if (first?.name === 'ConnectionError' && first.code === 'session-lost') return viewOf('server', SESSION_FIX.unshared);
  if (!hasAnsweredOpening && isWrongAddress(error)) return viewOf('unknown', WRONG_ADDRESS);
  return viewOf(causes.some(({ status }) => status !== undefined) ? 'server' : 'unknown');
}

/** The reason for a timeout may be on stderr: adds its text to the problem. */
export function withStderr(problem: ProblemView, stderr: readonly StderrLine[]): ProblemView {
  const quoted = problem.kind === 'timeout' ? quotedStderr(stderr) : undefined;
  if (quoted === undefined) return problem;
  const lines = tellingLines(stderr).map(({ n }) => n);
  return {
    ...problem,
    message: `${problem.message}. Its stderr: ${quoted}`,
    fix: 'Its stderr may say why it does not answer. If it is only slow, give it more time.',
    evidence: [...new Set([...problem.evidence, ...lines])].toSorted((a, b) => a - b),
  };
}

/** The same, with the path of the endpoint if the address has another one. */
export async function withPath(problem: ProblemView, { launch }: Target): Promise<ProblemView> {
  if (!('url' in launch) || problem.fix !== WRONG_ADDRESS) return problem;
  return { ...problem, fix: await fixForPath(launch.url) };
}

/** The same, without secrets. */
export function cleaned(problem: ProblemView, { clean }: Redactor): ProblemView {
  return {
    ...problem,
    message: clean(problem.message).text,
  };
}

/** System errors for an unreachable server, and what to do. */
const NETWORK: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens at this address: is the server running, and on this port?'],
  ['ENOTFOUND', 'There is no such host: look at the address.'],
  ['EAI_AGAIN', 'The name of the host could not be looked up: is there a network?'],
  ['ECONNRESET', 'The connection was cut in the middle: look at the log of the server.'],
  ['ETIMEDOUT', 'The host does not answer: a firewall, or the wrong address.'],
  ['EHOSTUNREACH', 'This host is not reachable from here.'],
  ['CERT_HAS_EXPIRED', 'The certificate of the server has run out.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The certificate is self-signed: NODE_EXTRA_CA_CERTS names a file with your own.'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'The certificate is self-signed: NODE_EXTRA_CA_CERTS names a file with your own.'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'The certificate cannot be verified: NODE_EXTRA_CA_CERTS names a file with its issuer.',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another host name.'],
  ['EPROTO', 'The server does not use TLS: http instead of https?'],
]);
