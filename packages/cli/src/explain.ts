import { Failure, type FailureDetails, usage } from './failure.ts';
import { unwrittenBy } from './inspector/files.ts';
import type { Observer } from './observer.ts';

// Errors of the SDK are told apart by name, so that explaining one loads nothing.

interface AnyError extends Error {
  code?: unknown;
  data?: unknown;
  signal?: string | null;
  /** Of an HTTP answer. */
  status?: number;
  challenge?: string;
  stderr?: string;
}

const LONGEST_EVIDENCE = 2_000;
const STDERR_LINES = 20;
const STDERR_CHARACTERS = 4_000;
const CALL_LINES = 40;
const CALL_CHARACTERS = 8_000;
const MOST_CAUSES = 10;

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** The error and its causes. */
const causesOf = (error: unknown): AnyError[] => {
  const found: AnyError[] = [];
  for (let at = error; at instanceof Error && found.length < MOST_CAUSES; at = at.cause) found.push(at);
  return found;
};

const lastOf = (stderr: string, characters = STDERR_CHARACTERS, lines = STDERR_LINES): string =>
  stderr.trimEnd().slice(-characters).split('\n').slice(-lines).join('\n');

/** The id under which a server of Tenon logs an error whose details it does not send. */
const ERROR_ID = /\bunder error ([0-9a-f]{8})\b/;

/** What a server says of a call that failed: its stderr since it was asked, from the entry that the answer names, if it names one. */
const ofCall = (message: string, stderr: string): string => {
  const [, id] = ERROR_ID.exec(message) ?? [];
  const lines = stderr.split('\n');
  const entry = id === undefined ? -1 : lines.findIndex((line) => line.includes(id));
  if (entry !== -1)
    return lines
      .slice(entry, entry + CALL_LINES)
      .join('\n')
      .slice(0, CALL_CHARACTERS);
  return lastOf(stderr, CALL_CHARACTERS, CALL_LINES);
};

/** Failures that a server answered with. The reason may be on its stderr, which only this program gets. */
const ANSWERED: ReadonlySet<string> = new Set(['tool_error', 'rpc_error', 'protocol_violation', 'disconnected']);

/** The failure with the stderr of the call. To be asked for when the connection is closed: stderr comes on a way of its own. */
export const withStderr = (failure: Failure, { stderrOfCall }: Observer): Failure =>
  stderrOfCall === '' || !ANSWERED.has(failure.code) || failure.details.stderr !== undefined
    ? failure
    : failure.with({ stderr: ofCall(failure.message, stderrOfCall) });

/** What the server was busy with, in words. */
const meanwhile = (seen: Observer): string =>
  seen.waitingFor === undefined ? '' : ` before it answered ${seen.waitingFor}`;

/** Lines on stdout that are no messages explain much of what goes wrong. */
const junkEvidence = (seen: Observer): FailureDetails =>
  seen.worstJunk === undefined ? {} : { evidence: `on stdout, and not protocol: ${shortened(seen.worstJunk, 500)}` };

const exited = ({ code, signal, stderr = '' }: AnyError, seen: Observer): Failure => {
  const exitCode = typeof code === 'number' ? code : null;
  const how =
    signal != null
      ? `was ended by ${signal}`
      : exitCode === null
        ? 'closed its stdout'
        : `exited with code ${exitCode}`;
  return new Failure('unreachable', 'server_exited', `The server ${how}${meanwhile(seen)}`, {
    blame: 'server',
    exitCode,
    signal: signal ?? null,
    stderr: lastOf(stderr),
    ...junkEvidence(seen),
  });
};

const notStarted = (error: AnyError): Failure =>
  new Failure('unreachable', 'not_started', error.message, {
    blame: 'you',
    evidence: String(error.code),
    ...(error.code === 'ENOENT' ? { fix: 'Look at what stands after --: the program, then its arguments.' } : {}),
  });

/** The server needs something that a client may offer. */
const MISSING_CAPABILITY = -32021;

/** An error of the client itself: it does not even send what the server does not declare. */
const notOffered = ({ message }: AnyError): Failure =>
  new Failure('refused', 'not_offered', message, { blame: 'you', fix: 'To send it all the same: tenon raw <method>' });

const refused = ({ code, message, data }: AnyError): Failure =>
  new Failure('refused', 'rpc_error', `The server answered with an error: ${message} (${String(code)})`, {
    blame: code === MISSING_CAPABILITY ? 'you' : 'unknown',
    rpc: { code: code as number, message, ...(data === undefined ? {} : { data }) },
    ...(code === MISSING_CAPABILITY
      ? { fix: 'Offer what it needs: --answers for questions, --sample for sampling, --roots for folders.' }
      : {}),
  });

const timeoutFailure = (message: string, seen: Observer): Failure =>
  new Failure('timeout', 'timeout', message, {
    blame: seen.strayLast ? 'server' : 'unknown',
    ...junkEvidence(seen),
    ...(seen.stderr === '' ? {} : { stderr: lastOf(seen.stderr) }),
    fix: fixForSilence(seen),
  });

const fixForSilence = (seen: Observer): string => {
  if (seen.strayLast) return 'stdout is for protocol only: make the server log to stderr.';
  if (seen.last !== undefined) return 'Give it more time with --timeout, or look with --trace.';
  return 'Is it a server for stdio? It may be slow: --timeout; or old, and silent to what it does not know: --revision.';
};

const broke = (error: AnyError, seen: Observer): Failure =>
  new Failure('protocol', 'protocol_violation', `The server broke the protocol: ${error.message}`, {
    blame: 'server',
    ...(seen.last === undefined ? {} : { evidence: shortened(seen.last, LONGEST_EVIDENCE) }),
  });

/** The server wants to know who is calling. */
const unauthorized = ({ message, status, challenge }: AnyError): Failure =>
  new Failure('auth', 'unauthorized', message, {
    blame: 'you',
    evidence: `HTTP status ${status}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
    fix: "Log in: tenon login <url>, or --auth. With a token of your own: --header 'Authorization: Bearer …'",
  });

const disconnected = (error: AnyError, causes: readonly AnyError[], seen: Observer): Failure => {
  const protocol = causes.find(({ name }) => name === 'ProtocolError');
  if (protocol !== undefined || seen.waitingFor === undefined) {
    return new Failure('unreachable', 'not_connected', error.message, {
      blame: 'unknown',
      ...(protocol === undefined
        ? {}
        : { rpc: { code: protocol.code as number, message: protocol.message, data: protocol.data } }),
    });
  }
  return new Failure('unreachable', 'disconnected', error.message, { blame: 'server', ...junkEvidence(seen) });
};

/** What an error means for whoever typed the command. */
export const explain = (error: unknown, seen: Observer): Failure => {
  const causes = causesOf(error);
  const known = causes.find((cause): cause is Failure => cause instanceof Failure);
  if (known !== undefined) return known;
  const named = (name: string): AnyError | undefined => causes.find((cause) => cause.name === name);
  const exit = named('ProcessExitError');
  if (exit !== undefined) return exited(exit, seen);
  const spawn = named('SpawnError');
  if (spawn !== undefined) return notStarted(spawn);
  const [first] = causes;
  if (first?.name === 'TimeoutError') return timeoutFailure(first.message, seen);
  if (first?.name === 'PeerError') return broke(first, seen);
  if (first?.name === 'ProtocolError')
    return seen.hasRefused(first.code, first.message) ? refused(first) : notOffered(first);
  const denied = causes.find(({ name, status }) => name === 'ConnectionError' && (status === 401 || status === 403));
  if (denied !== undefined) return unauthorized(denied);
  if (first?.name === 'ConnectionError') return disconnected(first, causes, seen);
  return internal(error);
};

/** A number that this Node cannot send exactly: the command line has to change, not the server. */
const inexact = (error: unknown): Failure | undefined =>
  error instanceof Error && error.name === 'InexactNumberError'
    ? usage(error.message, (error as Error & { fix?: string }).fix, 'inexact_number')
    : undefined;

/** A fault of tenon: all that helps to find it. */
export const internal = (error: unknown): Failure =>
  inexact(error) ??
  unwrittenBy(error) ??
  new Failure('internal', 'internal', `tenon failed: ${error instanceof Error ? error.message : String(error)}`, {
    blame: 'tenon',
    ...(error instanceof Error && error.stack !== undefined ? { evidence: error.stack } : {}),
  });

/** Connecting took longer than `--timeout` allows. */
export const connectTimeout = (timeout: number, seen: Observer): Failure => {
  const asked = seen.waitingFor === undefined ? '' : ` to ${seen.waitingFor}`;
  return timeoutFailure(`No answer${asked} for ${timeout} ms`, seen);
};
