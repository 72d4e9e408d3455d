// Serves the app of a build on a transport, and opens a conversation with it.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Server } from 'tenon';
import { makeApp } from './app.ts';
import type { Build } from './build.ts';
import { ChannelClient, type Connection } from './channel-client.ts';
import { dataOf, frameSplitter, HttpClient } from './http-client.ts';
import type { Cell } from './exchange.ts';
import { type Headers, headersFor } from './message.ts';
import { optionsOf, type ProfileName } from './profiles.ts';
import { fetchSender, type Sender, socketSender } from './send-http.ts';
import { Conversation } from './conversation.ts';

/** Opens a conversation; the caller closes it. */
export async function openConversation(
  build: Build,
  { transport, revision }: Cell,
  scenario: string,
  profile: ProfileName,
): Promise<{ readonly conversation: Conversation; close(): Promise<void> }> {
  const options = optionsOf(build, profile);
  const app = makeApp(build, options.auth !== undefined);
  const sessions = !transport.endsWith('-stateless');
  if (transport === 'fetch' || transport === 'fetch-stateless') {
    const handler = build.http.serveFetch(app, { ...options, sessions, path: '/mcp' });
    const client = new HttpClient(fetchSender(handler), revision, () => handler.close());
    return { conversation: new Conversation(transport, revision, scenario, client), close: () => client.close() };
  }
  if (transport === 'http' || transport === 'http-stateless') {
    const served = await build.node.serveHttp(app, { ...options, sessions, port: 0, signals: false });
    const client = new HttpClient(socketSender(served.port), revision, () => served.close());
    return { conversation: new Conversation(transport, revision, scenario, client), close: () => client.close() };
  }
  const client = new ChannelClient(revision);
  const conversation = new Conversation(transport, revision, scenario, client);
  if (transport === 'memory') client.connection = memoryConnection(build, app, options, client.receive);
  else if (transport === 'stdio') client.connection = stdioConnection(build, profile, client.receive);
  else client.connection = await sseConnection(build, app, options, conversation, client.receive);
  return { conversation, close: () => client.close() };
}

type Receive = (frame: string) => void;
type Options = ReturnType<typeof optionsOf>;

function memoryConnection(build: Build, app: Server, options: Options, receive: Receive): Connection {
  const [near, far] = build.testing.memoryPair();
  const served = build.tenon.serve(app, far, options);
  const over = (async () => {
    for await (const item of near.incoming) receive(typeof item === 'string' ? item : JSON.stringify(item));
  })();
  return {
    async send(text) {
      await near.send(text);
      return true;
    },
    messageOf: (frame) => frame,
    async end() {
      await served.close();
      await over;
    },
    async close() {
      await near.close();
      await served.closed;
    },
  };
}

/** The compile cache of the child processes: there are many, and each would compile the same files again. */
const COMPILED = join(tmpdir(), 'tenon-wire-compiled');
const STDIO_SERVER = fileURLToPath(new URL('stdio-server.ts', import.meta.url));

function stdioConnection(build: Build, profile: ProfileName, receive: Receive): Connection {
  const child = spawn(process.execPath, [STDIO_SERVER, build.folder, profile], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env },
  });
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop()!;
    for (const line of lines) receive(line);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      if (rest !== '') receive(rest);
      receive(`(the process ended with ${String(code ?? signal)})`);
      resolve();
    });
  });
  return {
    send: (text) => new Promise((resolve) => child.stdin.write(`${text}\n`, () => resolve(true))),
    messageOf: (frame) => frame,
    async end() {
      child.stdin.end();
      await ended;
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function sseConnection(
  build: Build,
  app: Server,
  options: Options,
  conversation: Conversation,
  receive: Receive,
): Promise<Connection> {
  const served = await build.node.serveHttp(app, { ...options, port: 0, signals: false, sse: true });
  const sender = socketSender(served.port);
  const address = await listen(sender, receive);
  return {
    messageOf: (frame) => dataOf(frame),
    async send(text, exchange, how) {
      const base: Headers = how.onlyHeaders ?? { ...headersFor(text, conversation.revision), ...how.headers };
      const path = how.path ?? address.path;
      return new Promise<boolean>((resolve) => {
        let posted = '';
        let taken = false;
        sender.send(
          { method: how.method ?? 'POST', path, headers: base, body: how.noBody === true ? undefined : text },
          {
            head(status, headers) {
              taken = status === 202;
              if (exchange) Object.assign(exchange, { status, headers: [...headers] });
            },
            text: (piece) => void (posted += piece),
            end(end) {
              if (exchange) Object.assign(exchange, { posted, end });
              resolve(taken);
            },
          },
        );
      });
    },
    async end() {
      await served.close();
      await address.over;
    },
    async close() {
      address.drop();
      sender.close();
      await served.close();
    },
  };
}

/** Opens the stream of HTTP+SSE and waits for the endpoint event. */
async function listen(
  sender: Sender,
  receive: Receive,
): Promise<{ readonly path: string; readonly over: Promise<void>; drop(): void }> {
  let drop = (): void => {};
  let ended!: () => void;
  const over = new Promise<void>((resolve) => (ended = resolve));
  const path = await new Promise<string>((resolve, reject) => {
    const frames = frameSplitter((frame) => {
      if (frame.startsWith('event: endpoint')) resolve(dataOf(frame)!);
      else receive(frame);
    });
    drop = sender.send(
      { method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } },
      {
        head: () => {},
        text: (text) => frames.text(text),
        end() {
          reject(new Error('The stream of HTTP+SSE ended before it named its endpoint'));
          ended();
        },
      },
    );
  });
  return { path, over, drop };
}
