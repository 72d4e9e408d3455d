import { loginFault } from '@tenon/values/login-fault';
import { fixForVariable } from '@tenon/values/missing-variable';
import { FRAMING } from '@tenon/values/framing';
import { fixForPeer, SESSION_FIX } from '@tenon/values/peer-fix';
import { Failure, usage } from '../failure/failure.ts';
import { diskFailure } from '../failure/file-failures.ts';
import { authorizationFix } from '../failure/login-fix.ts';
import { evidenceOf, lacksScope, tokenLacksScope } from '../failure/scopes.ts';
import { oneLine } from '../terminal/printable.ts';
import type { LastAnswer } from './last-answer.ts';
import type { Observer } from './observer.ts';

// Errors of the SDK are recognized by name, so that explaining one does not load the SDK.

interface AnyError extends Error {
  code?: unknown;
  exitCode?: number | null;
  systemCode?: string;
  data?: unknown;
  signal?: string | null;
  /** The status of an HTTP response. */
  status?: number;
  challenge?: string;
  /** The step of a login that failed. */
  step?: unknown;
  stderr?: string;
}

const MAX_EVIDENCE_LENGTH = 2_000;
const STDERR_LINES = 20;
const STDERR_CHARACTERS = 4_000;
const CALL_LINES = 40;
const CALL_CHARACTERS = 8_000;
const MAX_CAUSES = 10;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The error and its causes. */
function causesOf(error: unknown): AnyError[] {
  const found: AnyError[] = [];
  for (let at = error; at instanceof Error && found.length < MAX_CAUSES; at = at.cause) found.push(at);
  return found;
}

function lastOf(stderr: string, characters = STDERR_CHARACTERS, lines = STDERR_LINES): string {
  return stderr.trimEnd().slice(-characters).split('\n').slice(-lines).join('\n');
}

/** The id under which a server of Tenon logs an error whose details it does not send. */
const ERROR_ID = /\bunder error ([0-9a-f]{8})\b/;

/** The server's stderr since the failed call was sent; it starts at the log entry whose error id is in the response, if there is one. */
function stderrForCall(message: string, stderr: string): string {
  const [, id] = ERROR_ID.exec(message) ?? [];
  const lines = stderr.split('\n');
  const entry = id === undefined ? -1 : lines.findIndex((line) => line.includes(id));
  if (entry !== -1)
    return lines
      .slice(entry, entry + CALL_LINES)
      .join('\n')
      .slice(0, CALL_CHARACTERS);
  return lastOf(stderr, CALL_CHARACTERS, CALL_LINES);
}

/** Failures that a server's response or exit caused. The reason may be on its stderr, which only this process reads. */
const ANSWERED: ReadonlySet<string> = new Set(['tool_error', 'rpc_error', 'protocol_violation', 'disconnected']);

/** Adds the stderr of the call to the failure. Call it after the connection has closed, because stderr may arrive later than the response. */
export function withStderr(failure: Failure, { stderrOfCall }: Observer): Failure {
  return stderrOfCall === '' || !ANSWERED.has(failure.code) || failure.details.stderr !== undefined
    ? failure
    : failure.with({ stderr: stderrForCall(failure.message, stderrOfCall) });
}

/** The request that the server had not answered yet, as the end of a sentence. */
function pendingRequest(observer: Observer): string {
  return observer.waitingFor === undefined ? '' : ` before it answered ${observer.waitingFor}`;
}

/** Lines on stdout that are not protocol messages are a frequent cause of failures. */
function junkEvidence({ mainJunk }: Observer): string | undefined {
  return mainJunk === undefined ? undefined : `not protocol, on stdout: ${shortened(mainJunk, 500)}`;
}

function exited({ exitCode = null, signal, stderr = '' }: AnyError, observer: Observer): Failure {
  const how =
    signal != null
      ? `was ended by ${signal}`
      : exitCode === null
        ? 'closed its stdout'
        : `exited with code ${exitCode}`;
  return new Failure('unreachable', 'server_exited', `The server ${how}${pendingRequest(observer)}`, {
    blame: 'server',
    exitCode,
    signal: signal ?? null,
    stderr: lastOf(stderr),
    evidence: junkEvidence(observer),
    fix: exitCode === 0 && observer.last === undefined ? fixForNothing(stderr) : fixForVariable(stderr),
  });
}

/** The advice for a program that ended without an error. */
function fixForNothing(stderr: string): string | undefined {
  return stderr.trim() === ''
    ? 'It ended without an error: it may only export a server, which tenon run <file> serves.'
    : undefined;
}

function notStarted(error: AnyError): Failure {
  return new Failure('unreachable', 'not_started', error.message, {
    blame: 'you',
    evidence: error.systemCode ?? String(error.code),
    fix: error.code === 'no-such-program' ? 'Check the command after --: the program, then its arguments.' : undefined,
  });
}

/** The error code for a client capability that the server requires. */
const MISSING_CAPABILITY = -32021;

/** An error of the client itself: it does not send requests that the server's capabilities do not cover. */
function notOffered({ message }: AnyError): Failure {
  return new Failure('refused', 'not_offered', message, { blame: 'you', fix: 'To send it anyway: tenon raw <method>' });
}

function refused({ code, message, data }: AnyError): Failure {
  return new Failure('refused', 'rpc_error', `The server answered with an error: ${message} (${String(code)})`, {
    blame: code === MISSING_CAPABILITY ? 'you' : 'unknown',
    rpc: { code: code as number, message, data },
    fix:
      code === MISSING_CAPABILITY
        ? 'Offer what it needs: --answers for questions, --sample for sampling, --roots for folders.'
        : undefined,
  });
}

/** The failure of a request by name. `fix` says where the names are listed. */
export function explainNamed(error: unknown, observer: Observer, fix: string): Failure {
  const failure = explain(error, observer);
  return failure.code === 'rpc_error' && failure.details.fix === undefined ? failure.with({ fix }) : failure;
}

function timeoutFailure(message: string, observer: Observer): Failure {
  return new Failure('timeout', 'timeout', message, {
    blame: observer.endsWithJunk ? 'server' : 'unknown',
    evidence: junkEvidence(observer),
    stderr: observer.stderr === '' ? undefined : lastOf(observer.stderr),
    fix: fixForSilence(observer),
  });
}

/** The server went silent after an answer: its handler may not continue. The time limit pauses during a question. */
function fixForAnswer({ asked, outcome }: LastAnswer): string {
  return `The server asked "${oneLine(asked, 80)}", got ${oneLine(outcome, 40)}, and sent nothing since (the question itself does not count as waiting). Does its handler continue after decline, cancel, an error, and a form whose fields are false or empty?`;
}

function fixForSilence(observer: Observer): string {
  if (observer.endsWithLost)
    return 'The answer is too large. Return less, for example in pages, or a link to a resource.';
  if (observer.endsWithJunk) return 'stdout is for protocol messages only: make the server log to stderr.';
  if (observer.lastAnswer !== undefined) return fixForAnswer(observer.lastAnswer);
  if (observer.last !== undefined) return 'Give it more time with --timeout, or look with --trace.';
  return 'Is it a stdio server? If it starts slowly, raise --timeout. If it ignores unknown requests, name its --revision.';
}

/** The advice for an answer with an id of the wrong type. */
const TEXT_ID = / with the id ".*", but the request has \d+: it must send back the number$/s;

function protocolViolation({ code, message }: AnyError, observer: Observer): Failure {
  const words = message.startsWith('The server ') ? message : `The server broke the protocol: ${message}`;
  return new Failure('protocol', 'protocol_violation', words, {
    blame: 'server',
    fix: TEXT_ID.test(message) ? 'Keep the id as it came: do not turn numbers into text.' : fixForPeer(code),
    evidence:
      junkEvidence(observer) ??
      (observer.last === undefined ? undefined : shortened(observer.last, MAX_EVIDENCE_LENGTH)),
  });
}

/** The server requires authorization. If a login failed by a fault of the server, no other token helps, either. */
function unauthorized(denied: AnyError, causes: readonly AnyError[]): Failure {
  if (lacksScope(denied)) return tokenLacksScope(denied);
  const fault = loginFault(causes.find(({ name }) => name === 'AuthError') ?? {});
  if (fault?.blame === 'server') return new Failure('auth', 'login_failed', denied.message, fault);
  return new Failure('auth', 'unauthorized', denied.message, {
    blame: 'you',
    evidence: evidenceOf(denied),
    fix: authorizationFix(true),
  });
}

/** The advice where there is no connection at all. */
const UNREACHED: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'Nothing listens there: is the server running, and is the port right?'],
  ['ENOTFOUND', 'There is no host of this name.'],
  ['EAI_AGAIN', 'The name of the host could not be looked up: is there a network?'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'Is it http:// instead of https://?'],
  ['EPROTO', 'Is it http:// instead of https://?'],
]);

function fixForUnreached(causes: readonly AnyError[]): string | undefined {
  return causes.map(({ code }) => UNREACHED.get(code)).find((fix) => fix !== undefined);
}

/** The advice if something else than an MCP endpoint answers; `withPath` replaces it by what it finds. */
const WRONG_ADDRESS = 'Is this the address of an MCP endpoint?';

/** Looks for the endpoint, if the failure means that it is not at this address. */
export async function withPath(failure: Failure, url: string): Promise<Failure> {
  if (failure.details.fix !== WRONG_ADDRESS) return failure;
  const { fixForPath } = await import('@tenon/values/find-endpoint');
  return failure.with({ fix: await fixForPath(url) });
}

/** An answer over HTTP that has the wrong content type, but is one of MCP. The SDK says so in the message. */
function mistyped({ message }: AnyError, observer: Observer): Failure {
  return new Failure('protocol', 'protocol_violation', message, {
    blame: 'server',
    evidence: junkEvidence(observer),
    fix: 'Send the header Content-Type: application/json with each answer.',
  });
}

function disconnected(error: AnyError, causes: readonly AnyError[], observer: Observer): Failure {
  if (error.message.endsWith(': an MCP answer needs application/json')) return mistyped(error, observer);
  if (error.code === 'session-lost')
    return new Failure('unreachable', 'disconnected', error.message, { blame: 'server', fix: SESSION_FIX.unshared });
  const protocol = causes.find(({ name }) => name === 'ProtocolError');
  const status = causes.find((cause) => cause.status !== undefined)?.status;
  // A page or a refusal may come from the server or from a proxy, or the URL may belong to another program.
  const isAnotherProgram = status !== undefined && status < 500;
  const fix = isAnotherProgram && !observer.hasAnsweredOpening ? WRONG_ADDRESS : fixForUnreached(causes);
  if (protocol !== undefined || observer.waitingFor === undefined) {
    return new Failure('unreachable', 'not_connected', error.message, {
      blame: 'unknown',
      fix: protocol === undefined ? fix : undefined,
      rpc:
        protocol === undefined
          ? undefined
          : { code: protocol.code as number, message: protocol.message, data: protocol.data },
    });
  }
  return new Failure('unreachable', 'disconnected', error.message, {
    blame: isAnotherProgram ? 'unknown' : fixForUnreached(causes) === undefined ? 'server' : 'transport',
    evidence: junkEvidence(observer),
    fix,
  });
}

/** Turns an error into a failure for the user of the command. */
export function explain(error: unknown, observer: Observer): Failure {
  const causes = causesOf(error);
  const known = causes.find((cause): cause is Failure => cause instanceof Failure);
  if (known !== undefined) return known;
  const named = (name: string): AnyError | undefined => causes.find((cause) => cause.name === name);
  const exit = named('ProcessExitError');
  if (exit !== undefined) return exited(exit, observer);
  const spawn = named('SpawnError');
  if (spawn !== undefined) return notStarted(spawn);
  const [first] = causes;
  if (first?.name === 'TimeoutError') return timeoutFailure(first.message, observer);
  if (first?.name === 'PeerError') return protocolViolation(first, observer);
  if (first?.name === 'ProtocolError')
    return observer.hasErrorResponse(first.code, first.message) ? refused(first) : notOffered(first);
  const denied = causes.find(({ name, status }) => name === 'ConnectionError' && (status === 401 || status === 403));
  if (denied !== undefined) return unauthorized(denied, causes);
  if (first?.name === 'ConnectionError') return disconnected(first, causes, observer);
  return internal(error);
}

/** A number that this version of Node cannot send exactly: a usage failure, not the server's. */
function inexact(error: unknown): Failure | undefined {
  return error instanceof Error && error.name === 'InexactNumberError'
    ? usage(error.message, (error as Error & { fix?: string }).fix, 'inexact_number')
    : undefined;
}

/** The file of logins cannot be read or written. */
function unusableLogins(error: unknown): Failure | undefined {
  const { name, step, message, cause } = (error ?? {}) as Partial<Error> & { readonly step?: unknown };
  if (name !== 'AuthError' || step !== 'storage') return undefined;
  return diskFailure(cause) ?? usage(String(message), 'Mend the file, or move it away and log in again.', 'bad_tokens');
}

/** A bug in tenon, with everything that helps to find it; or a failure that is not tenon's, recognized late. */
export function internal(error: unknown): Failure {
  return (
    inexact(error) ??
    diskFailure(error) ??
    unusableLogins(error) ??
    new Failure('internal', 'internal', `tenon failed: ${error instanceof Error ? error.message : String(error)}`, {
      blame: 'tenon',
      evidence: error instanceof Error ? error.stack : undefined,
    })
  );
}

/** No answer of the server can be read. */
export function wrongFraming(observer: Observer): Failure {
  return new Failure('protocol', 'protocol_violation', FRAMING.message, {
    blame: 'server',
    evidence: junkEvidence(observer),
    fix: FRAMING.fix,
  });
}

/** Connecting took longer than `--timeout` allows. */
export function connectTimeout(timeout: number, observer: Observer): Failure {
  const asked = observer.waitingFor === undefined ? '' : ` to ${observer.waitingFor}`;
  return timeoutFailure(`No answer${asked} for ${timeout} ms`, observer);
}
