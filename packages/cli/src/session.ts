import type { ClientAuth } from 'tenon/auth';
import type { CallOptions, Client, ConnectOptions, Progress, Revision } from 'tenon/client';
import { asking } from './asking.ts';
import type { Terminal } from './ask.ts';
import { type CommandLine, numberGiven } from './command-line.ts';
import { connectTimeout, explain, withStderr } from './explain.ts';
import { Failure, usage } from './failure.ts';
import { createObserver, type Observer } from './observer.ts';
import type { Output } from './output.ts';
import { oneLine } from './printable.ts';
import { recordingGiven } from './recording.ts';
import type { Screen } from './screen.ts';
import { targetOf } from './server-command.ts';
import { watchTraffic } from './traffic.ts';

/** A connection to the server of the command line, for as long as a verb needs it. */
export interface Session {
  readonly client: Client;
  readonly seen: Observer;
  /** The options of a request: Ctrl-C ends it. */
  readonly request: CallOptions;
  /** The same for requests that may take long: their progress is shown. */
  readonly call: CallOptions;
  /** How long starting and connecting took, in milliseconds. */
  readonly connectMs: number;
}

/** The world around the command. */
export interface World {
  readonly screen: Screen;
  /** For what is no single result. */
  readonly stdout: Output;
  /** Aborted by Ctrl-C, with a failure as reason. */
  readonly interrupt: AbortSignal;
  /** Where to ask a person. Undefined: nobody is there. */
  readonly person: Terminal | undefined;
}

/** Reports of the client that are told in another way. */
const TOLD: ReadonlySet<string> = new Set(['junk', 'handler-failed']);

const LONGEST_LOG = 10_000;

const logLine = (level: string, logger: string | undefined, data: unknown): string => {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return oneLine(`[${level}]${logger === undefined ? '' : ` ${logger}:`} ${text}`, LONGEST_LOG);
};

const progressShown =
  (screen: Screen) =>
  ({ progress, total, message }: Progress): void =>
    screen.progress(
      `progress ${progress}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${message}`}`,
    );

/** The revision of `--revision`. Throws a usage failure for one that tenon does not speak. */
export const revisionGiven = async (line: CommandLine): Promise<Revision | undefined> => {
  const given = line.value('revision');
  if (given === undefined) return undefined;
  const { revisions } = await import('tenon/client');
  const revision = revisions.find((known) => known === given);
  if (revision !== undefined) return revision;
  throw usage(`tenon does not speak revision '${oneLine(given, 60)}'`, `The revisions are ${revisions.join(', ')}.`);
};

const badAnswer = (error: Error): Failure => usage(error.message, 'Correct it in the file of --answers.', 'bad_answer');

/** What of the options concerns the protocol. */
const protocolOptions = async (line: CommandLine, world: World, stop: AbortController): Promise<ConnectOptions> => {
  const revision = await revisionGiven(line);
  const timeout = numberGiven(line, 'timeout');
  const logLevel = line.value('log-level');
  return {
    ...asking(line, world.person, stop),
    ...(revision === undefined ? {} : { revision }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(logLevel === undefined
      ? {}
      : {
          // The client checks it.
          logLevel: logLevel as NonNullable<ConnectOptions['logLevel']>,
          onLog: ({ level, logger, data }) => world.screen.line(logLine(level, logger, data)),
        }),
    // What is shown is what the server says now.
    cache: false,
    signal: stop.signal,
  };
};

/** Whoever gives a token with --header needs no other. */
const credentials = async (
  line: CommandLine,
  headers: Readonly<Record<string, string>>,
  screen: Screen,
  given: ClientAuth | undefined,
): Promise<Pick<ConnectOptions, 'auth'>> => {
  if (given !== undefined) return { auth: given };
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return {};
  const { credentialsFor } = await import('./credentials.ts');
  return { auth: await credentialsFor(line, screen, line.given.has('auth')) };
};

/** Starts the server, connects, lets `use` work and print, and stops the server. Throws a `Failure`. */
export const withServer = async (
  line: CommandLine,
  world: World,
  use: (session: Session) => Promise<void>,
  auth?: ClientAuth,
): Promise<void> => {
  const { screen, interrupt } = world;
  const target = targetOf(line);
  const stop = new AbortController();
  const options = await protocolOptions(line, world, stop);
  const recording = await recordingGiven(line, screen, target);
  const { connect } = await import('tenon/client');
  const seen = createObserver();
  const traffic = watchTraffic(seen, screen, line.given.has('trace'), 'url' in target ? 'an answer' : 'stdout');
  const interrupted = (): void => stop.abort(interrupt.reason);
  interrupt.addEventListener('abort', interrupted, { once: true });
  if (interrupt.aborted) interrupted();

  let client: Client | undefined;
  const watching: ConnectOptions = {
    log({ level, event, message, details }) {
      if (event === 'handler-failed' && details instanceof TypeError) stop.abort(badAnswer(details));
      if (TOLD.has(event) || (event === 'invalid-message' && seen.strayLast)) return;
      // A server that ends while it is asked something is the failure; one that ends by itself is started again by the client.
      if (event === 'connection-lost' && seen.waitingFor !== undefined) return;
      if (level === 'warn' || level === 'error') screen.warn(message);
    },
    onTrace(entry) {
      recording?.onTrace(entry);
      traffic.pass(entry);
    },
  };

  /** Undefined: what was thrown is a fault of the command line, or nothing was. */
  let failure: Failure | undefined;
  const started = performance.now();
  const { timeout } = options;
  const limit =
    timeout === undefined ? undefined : setTimeout(() => stop.abort(connectTimeout(timeout, seen)), timeout);
  try {
    client =
      'url' in target
        ? await connect(target.url, {
            ...options,
            ...watching,
            headers: target.headers,
            ...(await credentials(line, target.headers, screen, auth)),
          })
        : await connect(target.command, { ...options, ...watching });
    clearTimeout(limit);
    const connectMs = performance.now() - started;
    const request: CallOptions = { signal: stop.signal };
    await use({ client, seen, request, call: { ...request, onProgress: progressShown(screen) }, connectMs });
  } catch (error) {
    if (stop.signal.reason instanceof Failure) throw stop.signal.reason;
    if (error instanceof TypeError && client === undefined) throw usage(error.message);
    if (error instanceof TypeError && line.given.has('answers')) throw badAnswer(error);
    failure = explain(error, seen);
  } finally {
    clearTimeout(limit);
    await client?.close();
    recording?.close();
    traffic.end();
    interrupt.removeEventListener('abort', interrupted);
  }
  if (failure !== undefined) throw withStderr(failure, seen);
};
