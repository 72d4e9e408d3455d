import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, type ConnectOptions, type Revision, type TraceEntry } from 'tenon/client';
import { type SpawnedChannel, spawnChannel } from 'tenon/node';
import { FramingError, watchFraming } from '@tenon/values/framing';
import { guardGroup } from '../record/guard.ts';
import type { Recorder } from '../record/recorder.ts';
import { mirrorsOf } from '../values/mirror-headers.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';
import { type Target, WorkbenchError } from './contract.ts';
import { postFrame } from './post-frame.ts';

/** An open connection, with access to the wire, which a client does not expose. */
export interface OpenServer {
  readonly client: Client;
  /** Sends text unchanged. The answers are in the trace. */
  frame(text: string): Promise<void>;
  close(): Promise<void>;
}

/** How long a server has to exit: short, because the user waits for it, but long enough to report a server that does not exit. */
const GRACE_MS = 300;
const KILL_MS = 2_000;
/** The time to wait for a killed process to exit, in milliseconds. */
const EXIT_MS = 5_000;
/** Says that the client closed the connection: the server is then not to blame for requests without an answer. */
const CLOSED = { kind: 'note', from: 'client', text: 'The client closed the connection' } as const;

/** Connects, and records all traffic. Rejects with the errors of `connect`. */
export async function openServer(
  target: Target,
  recorder: Recorder,
  options: Omit<ConnectOptions, 'onTrace'>,
  hide: (secret: string) => void,
): Promise<OpenServer> {
  const revision = target.revision as Revision | undefined;
  const all: ConnectOptions = {
    revision,
    ...options,
    cache: false,
    restart: false,
  };
  return 'url' in target.launch
    ? openUrl(target.launch, recorder, all, hide)
    : openCommand(target.launch, recorder, all);
}

async function openCommand(
  launch: Extract<Target['launch'], { command: string }>,
  recorder: Recorder,
  options: ConnectOptions,
): Promise<OpenServer> {
  let channel: SpawnedChannel | undefined;
  let over = false;
  /** Records that the client closes, or gives up connecting. A process that is asked to exit did not exit unexpectedly. */
  const closing = (): void => {
    if (!over) recorder.write(CLOSED);
    over = true;
  };
  const tell = (kind: TraceEntry['kind'], text: string): void => recorder.onTrace({ kind, text });
  const start = (): SpawnedChannel => {
    const { command, args, env, inheritEnv, cwd } = launch;
    const started = spawnChannel(
      {
        command,
        args,
        env,
        inheritEnv,
        cwd,
        graceMs: GRACE_MS,
        killMs: KILL_MS,
        stderr: (text) => tell('stderr', text),
      },
      { limits: options.limits },
    );
    over = started.pid === undefined;
    if (started.pid === undefined) recorder.write({ kind: 'note', text: 'The process could not be started' });
    else {
      tell('open', [command, ...args].join(' '));
      // If this program is killed outright, it must not leave servers behind that ignore the end of their stdin.
      const letGo = guardGroup(started.pid);
      void started.exited.then(({ code, signal }) => {
        letGo();
        over = true;
        tell('exit', signal === null ? `exited with code ${code}` : `ended by ${signal}`);
      });
    }
    channel = {
      ...started,
      close() {
        closing();
        return started.close();
      },
    };
    return channel;
  };
  /** The exit must be recorded before anything else happens. */
  const exited = (): Promise<unknown> => Promise.race([channel?.exited, delay(EXIT_MS, undefined, { ref: false })]);
  // No answer can be read, so waiting for one is pointless.
  const unreadable = new AbortController();
  const watch = watchFraming(() => unreadable.abort(new FramingError()));
  let client: Client;
  try {
    client = await connect(
      { open: start },
      {
        ...options,
        signal: AbortSignal.any([unreadable.signal, ...(options.signal === undefined ? [] : [options.signal])]),
        onTrace(entry) {
          recorder.onTrace(entry);
          watch(entry);
        },
      },
    );
  } catch (error) {
    await exited();
    throw error;
  }
  return {
    client,
    async frame(text) {
      if (/[\r\n]/.test(text))
        throw new WorkbenchError('bad-request', 'A frame of stdio is one line', 'Remove the line breaks.');
      recorder.onTrace({ kind: 'sent', text });
      await channel!.send(text);
    },
    async close() {
      closing();
      await client.close();
      await exited();
    },
  };
}

async function openUrl(
  launch: Extract<Target['launch'], { url: string }>,
  recorder: Recorder,
  options: ConnectOptions,
  hide: (secret: string) => void,
): Promise<OpenServer> {
  const { url, headers = {} } = launch;
  let session: string | undefined;
  const client = await connect(url, {
    ...options,
    headers,
    onTrace(entry) {
      const fields = asSent(entry);
      session = fields.get('mcp-session-id') ?? session;
      for (const name of SECRET_HEADERS) hide(fields.get(name)?.replace(/^(?:Bearer|Basic|DPoP) /i, '') ?? '');
      recorder.onTrace(entry);
    },
  });
  const closed = new AbortController();
  const under = new Set<Promise<void>>();
  return {
    client,
    async frame(text) {
      const mirrors = client.era === 'modern' ? mirrorsOf(text) : {};
      const { done } = await postFrame(
        url,
        text,
        recorder,
        {
          ...headers,
          ...withoutUndefined({ 'mcp-session-id': session, 'mcp-protocol-version': client.revision }),
          ...mirrors,
        },
        options.auth,
        closed.signal,
      );
      under.add(done);
      void done.then(() => under.delete(done));
    },
    async close() {
      recorder.write(CLOSED);
      closed.abort();
      await Promise.all([client.close(), ...under]);
    },
  };
}

/** The SDK keeps the original values of headers that it hides under this symbol. */
const AS_SENT = Symbol.for('tenon.fieldsAsSent');

/** Headers that carry credentials: their values must not appear anywhere in the trace. */
const SECRET_HEADERS = ['authorization', 'mcp-session-id', 'cookie', 'set-cookie', 'x-api-key'];

/** The original header values of a part of an exchange. They may be used only within the same session. */
function asSent({ http }: TraceEntry): ReadonlyMap<string, string> {
  return (
    (http?.headers as { [AS_SENT]?: ReadonlyMap<string, string> } | undefined)?.[AS_SENT] ?? new Map<string, string>()
  );
}

/** A connection that only probes for an era never asks for a login. */
export function withoutLogin({ auth }: Pick<ConnectOptions, 'auth'>): Pick<ConnectOptions, 'auth'> {
  return auth === undefined
    ? {}
    : { auth: { credentials: (request) => auth.credentials(request), challenged: () => Promise.resolve(false) } };
}
