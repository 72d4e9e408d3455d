// Serves the app of a build on a transport, and begins to talk to it.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Server } from 'tenon';
import { makeApp } from './app.ts';
import type { Build } from './build.ts';
import { ChannelCarrier, type Line } from './carry-channel.ts';
import { dataOf, frameSplitter, HttpCarrier } from './carry-http.ts';
import type { Cell } from './exchange.ts';
import { type Headers, headersFor } from './message.ts';
import { optionsOf, type ProfileName } from './profiles.ts';
import { fetchSender, type Sender, socketSender } from './send-http.ts';
import { Talk } from './talk.ts';

/** Begins a conversation; the caller closes it. */
export async function openTalk(
  build: Build,
  { transport, revision }: Cell,
  scenario: string,
  profile: ProfileName,
): Promise<{ readonly talk: Talk; close(): Promise<void> }> {
  const options = optionsOf(build, profile);
  const app = makeApp(build, options.auth !== undefined);
  const sessions = !transport.endsWith('-stateless');
  if (transport === 'fetch' || transport === 'fetch-stateless') {
    const handler = build.http.serveFetch(app, { ...options, sessions, path: '/mcp' });
    const carrier = new HttpCarrier(fetchSender(handler), revision, () => handler.close());
    return { talk: new Talk(transport, revision, scenario, carrier), close: () => carrier.close() };
  }
  if (transport === 'http' || transport === 'http-stateless') {
    const served = await build.node.serveHttp(app, { ...options, sessions, port: 0, signals: false });
    const carrier = new HttpCarrier(socketSender(served.port), revision, () => served.close());
    return { talk: new Talk(transport, revision, scenario, carrier), close: () => carrier.close() };
  }
  const carrier = new ChannelCarrier(revision);
  const talk = new Talk(transport, revision, scenario, carrier);
  if (transport === 'memory') carrier.line = memoryLine(build, app, options, carrier.receive);
  else if (transport === 'stdio') carrier.line = stdioLine(build, profile, carrier.receive);
  else carrier.line = await sseLine(build, app, options, talk, carrier.receive);
  return { talk, close: () => carrier.close() };
}

type Receive = (frame: string) => void;
type Options = ReturnType<typeof optionsOf>;

function memoryLine(build: Build, app: Server, options: Options, receive: Receive): Line {
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
      await served.done;
    },
  };
}

/** There are many children, and each would compile the same files again. */
const COMPILED = join(tmpdir(), 'tenon-wire-compiled');
const STDIO_SERVER = fileURLToPath(new URL('stdio-server.ts', import.meta.url));

function stdioLine(build: Build, profile: ProfileName, receive: Receive): Line {
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

async function sseLine(build: Build, app: Server, options: Options, talk: Talk, receive: Receive): Promise<Line> {
  const served = await build.node.serveHttp(app, { ...options, port: 0, signals: false, sse: true });
  const sender = socketSender(served.port);
  const address = await listen(sender, receive);
  return {
    messageOf: (frame) => dataOf(frame),
    async send(text, exchange, how) {
      const base: Headers = how.onlyHeaders ?? { ...headersFor(text, talk.revision), ...how.headers };
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

/** Opens the stream of HTTP+SSE and learns where to post to. */
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
