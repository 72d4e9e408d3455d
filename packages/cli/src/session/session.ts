import type { ClientAuth, OAuthOptions } from 'tenon/auth';
import type { CallOptions, Client, ConnectOptions, Progress, Revision } from 'tenon/client';
import { watchFraming } from '@tenon/values/framing';
import { clientFeatures } from './client-features.ts';
import type { Terminal } from './ask.ts';
import { type CommandLine, parseNumberOption } from '../command-line/command-line.ts';
import { watchBeside } from './beside.ts';
import { connectTimeout, explain, withPath, withStderr, wrongFraming } from './explain.ts';
import { Failure, usage } from '../failure/failure.ts';
import { authorizationFix } from '../failure/login-fix.ts';
import { createObserver, type Observer } from './observer.ts';
import type { Output } from '../terminal/output.ts';
import { oneLine } from '../terminal/printable.ts';
import { openRecording } from './recording.ts';
import type { Screen } from '../terminal/screen.ts';
import { openSlowServers } from './slow-servers.ts';
import { loginWords, targetOf } from '../command-line/server-command.ts';
import type { ServerTarget } from '../command-line/server-target.ts';
import { withUndeclared } from './undeclared.ts';
import { watchTraffic } from './traffic.ts';

/** The connection to the server of the command line, open while a verb runs. */
export interface Session {
  readonly client: Client;
  readonly observer: Observer;
  /** The options of a request: Ctrl-C cancels it. */
  readonly request: CallOptions;
  /** The same for requests that may take long; shows their progress. */
  readonly call: CallOptions;
  /** How long starting and connecting took, in milliseconds. */
  readonly connectMs: number;
}

/** The context of a verb, besides its command line. */
export interface VerbContext {
  readonly screen: Screen;
  /** For output other than a single result. */
  readonly stdout: Output;
  /** Aborted by Ctrl-C, with a failure as reason. */
  readonly interrupt: AbortSignal;
  /** The terminal where the user can be asked; undefined in scripts. */
  readonly person: Terminal | undefined;
}

/** Log events of the client that are already reported in another way. */
const REPORTED_ELSEWHERE: ReadonlySet<string> = new Set(['junk', 'handler-failed']);

function progressShown(screen: Screen) {
  return ({ progress, total, message }: Progress): void =>
    screen.progress(
      `progress ${progress}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${message}`}`,
    );
}

/** The revision of `--revision`. Throws a usage failure for one that tenon does not support. */
export async function parseRevision(line: CommandLine): Promise<Revision | undefined> {
  const given = line.value('revision');
  if (given === undefined) return undefined;
  const { revisions } = await import('tenon/client');
  const revision = revisions.find((known) => known === given);
  if (revision !== undefined) return revision;
  throw usage(`tenon does not support revision '${oneLine(given, 60)}'`, `The revisions are ${revisions.join(', ')}.`);
}

function badAnswer(error: Error): Failure {
  return usage(error.message, 'Correct it in the file of --answers.', 'bad_answer');
}

/** The connect options that the command line sets. */
async function protocolOptions(
  line: CommandLine,
  context: VerbContext,
  stop: AbortController,
): Promise<ConnectOptions> {
  const revision = (await parseRevision(line)) ?? line.server?.revision;
  const timeout = parseNumberOption(line, 'timeout');
  const logLevel = line.value('log-level');
  return {
    ...clientFeatures(line, context.person, stop),
    revision,
    timeout,
    // The client validates it.
    logLevel: logLevel as ConnectOptions['logLevel'],
    // Always show the server's current answers.
    cache: false,
    signal: stop.signal,
  };
}

/** Makes the credentials of a verb that has its own. `wrapFetch` records the requests of a login. */
export type MakeAuth = (wrapFetch: OAuthOptions['wrapFetch']) => ClientAuth | Promise<ClientAuth>;

/** The credentials of the stored login, or of a new one with `--auth`; none if `--header` carries a token. */
async function credentials(
  line: CommandLine,
  { headers, login }: Extract<ServerTarget, { url: string }>,
  screen: Screen,
  makeAuth: MakeAuth | undefined,
  wrapFetch: OAuthOptions['wrapFetch'],
): Promise<Pick<ConnectOptions, 'auth'>> {
  if (makeAuth !== undefined) return { auth: await makeAuth(wrapFetch) };
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return {};
  const { credentialsFor } = await import('./credentials.ts');
  return { auth: await credentialsFor(line, screen, line.given.has('auth'), { ...login, wrapFetch }) };
}

/** The advice to log in names a configured server by its name: the login settings may be in its configuration. */
function withLoginWords(failure: Failure, line: CommandLine, url: string): Failure {
  if (line.server === undefined || failure.details.fix !== authorizationFix(true)) return failure;
  return failure.with({ fix: authorizationFix(true, loginWords(line, url)) });
}

/** Verbs that run code of a server's author. */
const CALLING: ReadonlySet<string> = new Set(['call', 'read', 'prompt']);

/**
 * A server of 2026-07-28 logs only what is requested, and some that log do not declare it. Earlier revisions have a request for it, which is
 * sent only with `--log-level`.
 */
async function requestLogs(line: CommandLine, client: Client): Promise<void> {
  if (line.given.has('log-level') || line.given.has('quiet') || client.era !== 'modern') return;
  await client.setLogLevel('info');
}

/** Starts the server, connects, runs `use`, and stops the server. Throws a `Failure`. */
export async function withServer(
  line: CommandLine,
  context: VerbContext,
  use: (session: Session) => Promise<void>,
  makeAuth?: MakeAuth,
): Promise<void> {
  const { screen, interrupt } = context;
  const target = targetOf(line);
  const stop = new AbortController();
  const options = await protocolOptions(line, context, stop);
  const recording = await openRecording(line, screen, target);
  const { connect } = await import('tenon/client');
  const observer = createObserver();
  const traffic = watchTraffic(observer, screen, line.given.has('trace'), 'url' in target ? 'an answer' : 'stdout');
  const beside = watchBeside(screen, {
    allLogs: line.given.has('log-level'),
    isAsked: context.person !== undefined,
    isTraced: line.given.has('trace'),
  });
  const framing = watchFraming(() => stop.abort(wrongFraming(observer)));
  const interrupted = (): void => stop.abort(interrupt.reason);
  interrupt.addEventListener('abort', interrupted, { once: true });
  if (interrupt.aborted) interrupted();

  let client: Client | undefined;
  const eras = openSlowServers();
  const watching: ConnectOptions = {
    eras,
    log({ level, event, message, details }) {
      if (event === 'handler-failed' && details instanceof TypeError) stop.abort(badAnswer(details));
      if (REPORTED_ELSEWHERE.has(event) || (event === 'invalid-message' && observer.endsWithJunk)) return;
      // A server that exits during a request is reported as the failure; after other exits the client restarts it.
      if (event === 'connection-lost' && observer.waitingFor !== undefined) return;
      if (level === 'warn' || level === 'error') screen.warn(message);
    },
    onTrace(entry) {
      recording?.onTrace(entry);
      traffic.pass(entry);
      if (!('url' in target)) framing(entry);
      beside.pass(entry);
    },
  };

  /** Undefined if nothing failed, or if a usage failure was thrown. */
  let failure: Failure | undefined;
  const started = performance.now();
  const { timeout } = options;
  const limit =
    timeout === undefined ? undefined : setTimeout(() => stop.abort(connectTimeout(timeout, observer)), timeout);
  try {
    client =
      'url' in target
        ? await connect(target.url, {
            ...options,
            ...watching,
            headers: target.headers,
            ...(await credentials(line, target, screen, makeAuth, recording?.wrapFetch)),
          })
        : await connect(target.command, { ...options, ...watching });
    clearTimeout(limit);
    const connectMs = performance.now() - started;
    if (CALLING.has(line.words[0]!)) await requestLogs(line, client);
    const request: CallOptions = { signal: stop.signal };
    await use({ client, observer, request, call: { ...request, onProgress: progressShown(screen) }, connectMs });
  } catch (error) {
    if (stop.signal.reason instanceof Failure) throw stop.signal.reason;
    if (error instanceof TypeError && client === undefined) throw usage(error.message);
    if (error instanceof TypeError && line.given.has('answers')) throw badAnswer(error);
    failure = explain(error, observer);
  } finally {
    clearTimeout(limit);
    await client?.close();
    await eras.saved();
    recording?.close();
    beside.end();
    traffic.end();
    interrupt.removeEventListener('abort', interrupted);
  }
  if (failure === undefined) return;
  const found = 'url' in target ? await withPath(withLoginWords(failure, line, target.url), target.url) : failure;
  throw withUndeclared(withStderr(found, observer), line, context.person, observer);
}
