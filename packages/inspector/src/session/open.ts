import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, type ConnectOptions, type Revision, type TraceEntry } from 'tenon/client';
import { type SpawnedChannel, spawnChannel } from 'tenon/node';
import type { Recorder } from '../record/recorder.ts';
import { type Target, WorkbenchError } from './contract.ts';

/** A connection that is open, with what a client does not give away: the wire. */
export interface OpenServer {
  readonly client: Client;
  /** Sends a text as it is. What comes back is in the trace. */
  frame(text: string): Promise<void>;
  close(): Promise<void>;
}

/** A server that is not asked to leave for long: somebody waits for it. */
const GRACE_MS = 300;
const KILL_MS = 1_000;
/** A process that does not end when it is killed is not waited for. */
const EXIT_MS = 5_000;
/** Whose doing the end is. What is not answered then is nobody's fault. */
const CLOSED = { kind: 'note', from: 'client', text: 'The client closed the connection' } as const;
/** A frame over HTTP may bring a stream that does not end. */
const FRAME_MS = 30_000;
const FRAME_BYTES = 4 * 1024 * 1024;

/** Connects, and tells everything that passes. Rejects with the errors of `connect`. */
export const openServer = async (
  target: Target,
  recorder: Recorder,
  options: Omit<ConnectOptions, 'onTrace'>,
  hide: (secret: string) => void,
): Promise<OpenServer> => {
  const revision = target.revision as Revision | undefined;
  const all: ConnectOptions = {
    ...(revision === undefined ? {} : { revision }),
    ...options,
    cache: false,
    restart: false,
  };
  return 'url' in target.launch
    ? openUrl(target.launch, recorder, all, hide)
    : openCommand(target.launch, recorder, all);
};

const openCommand = async (
  launch: Extract<Target['launch'], { command: string }>,
  recorder: Recorder,
  options: ConnectOptions,
): Promise<OpenServer> => {
  let channel: SpawnedChannel | undefined;
  const tell = (kind: TraceEntry['kind'], text: string): void => recorder.onTrace({ kind, text });
  const start = (): SpawnedChannel => {
    const { command, args, env, inheritEnv, cwd } = launch;
    tell('open', [command, ...args].join(' '));
    const started = spawnChannel({
      command,
      args,
      ...(env === undefined ? {} : { env }),
      ...(inheritEnv === undefined ? {} : { inheritEnv }),
      ...(cwd === undefined ? {} : { cwd }),
      graceMs: GRACE_MS,
      killMs: KILL_MS,
      stderr: (text) => tell('stderr', text),
    });
    if (started.pid !== undefined)
      void started.exited.then(({ code, signal }) =>
        tell('exit', signal === null ? `exited with code ${code}` : `ended by ${signal}`),
      );
    channel = started;
    return started;
  };
  /** How it ended is written before anybody goes on. */
  const exited = (): Promise<unknown> => Promise.race([channel?.exited, delay(EXIT_MS, undefined, { ref: false })]);
  let client: Client;
  try {
    client = await connect({ open: start }, { ...options, onTrace: (entry) => recorder.onTrace(entry) });
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
      recorder.write(CLOSED);
      await client.close();
      await exited();
    },
  };
};

const openUrl = async (
  launch: Extract<Target['launch'], { url: string }>,
  recorder: Recorder,
  options: ConnectOptions,
  hide: (secret: string) => void,
): Promise<OpenServer> => {
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
  return {
    client,
    frame: (text) =>
      post(
        url,
        text,
        recorder,
        {
          ...headers,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
          'mcp-protocol-version': client.revision,
        },
        options.auth,
      ),
    async close() {
      recorder.write(CLOSED);
      await client.close();
    },
  };
};

/** Where the SDK keeps what it does not show of the headers of an exchange. */
const AS_SENT = Symbol.for('tenon.fieldsAsSent');

/** Headers whose value says who is calling: nobody else may read them anywhere in the trace. */
const SECRET_HEADERS = ['authorization', 'mcp-session-id', 'cookie', 'set-cookie', 'x-api-key'];

/** What a part of an exchange really said, which only whoever speaks in the same session may know. */
const asSent = ({ http }: TraceEntry): ReadonlyMap<string, string> =>
  (http?.headers as { [AS_SENT]?: ReadonlyMap<string, string> } | undefined)?.[AS_SENT] ?? new Map<string, string>();

/** One POST of our own. What comes back is recorded as far as it goes. */
const post = async (
  url: string,
  text: string,
  recorder: Recorder,
  headers: Readonly<Record<string, string>>,
  auth: ConnectOptions['auth'],
): Promise<void> => {
  const credentials = (await auth?.credentials({ server: url, method: 'POST', url })) ?? {};
  const fields = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    ...credentials,
    'content-length': String(Buffer.byteLength(text)),
  };
  const sent = recorder.write({ kind: 'message', from: 'client', text });
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(url, { method: 'POST', headers: fields, signal: AbortSignal.timeout(FRAME_MS) });
  request.end(text);
  try {
    const [answer] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    const type = String(answer.headers['content-type'] ?? '');
    const head = recorder.write({ kind: 'http', cause: sent.n, text: `${answer.statusCode}; content-type: ${type}` });
    let body = '';
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      body += chunk.toString();
      if (body.length > FRAME_BYTES) break;
    }
    const messages = type.startsWith('text/event-stream')
      ? body
          .split(/\r?\n\r?\n/)
          .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data).join('\n'))
      : [body];
    for (const message of messages)
      if (message.trim() !== '')
        recorder.write({ kind: isMessage(message) ? 'message' : 'junk', from: 'server', cause: head.n, text: message });
  } catch (error) {
    recorder.write({ kind: 'lost', from: 'server', cause: sent.n, text: `No answer: ${(error as Error).message}` });
  }
};

const isMessage = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
  } catch {
    return false;
  }
};
