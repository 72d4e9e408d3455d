// Drives one server over HTTP with a fixed number of connections, one request at a time on each, checks every answer, and tells what a
// request cost the server.
import type { Socket } from 'node:net';
import { answersOf, begin, bytesOf, messagesIn, numbered, once, open } from './http-wire.ts';
import { type Measured, type Running, startProgram, warmed } from './measured.ts';
import { Answers, type Call, FIRST_ID, LEGACY, MODERN, requestOf } from './messages.ts';

export interface HttpLoad {
  readonly server: string;
  /** Path of the Node that runs it. */
  readonly node: string;
  readonly era: 'stateless' | 'session' | 'modern';
  readonly call: Call;
  /** Tools in all. */
  readonly tools: number;
  readonly connections: number;
  /** Calls before the first that is measured. */
  readonly warmUp: number;
}

function requestBytes({ era, call }: HttpLoad, port: number, session: string | undefined): Buffer {
  const modern = era === 'modern';
  const message = requestOf(call, modern, FIRST_ID);
  const name = message.params['name'] ?? message.params['uri'];
  return bytesOf(
    port,
    {
      'mcp-protocol-version': modern ? MODERN : LEGACY,
      'mcp-session-id': session,
      'mcp-method': modern ? message.method : undefined,
      'mcp-name': modern && name !== undefined ? String(name) : undefined,
    },
    message,
  );
}

/** Less than any server leaves a connection open on which nothing is asked, in milliseconds. */
const IDLE_MS = 2_000;

interface Target {
  readonly port: number;
  readonly request: Buffer;
  readonly connections: number;
}

/** Keeps a number of connections busy with a request, each time with another id. */
class Driver {
  readonly #sockets: Socket[] = [];
  readonly #answers: Answers;
  readonly #target: Target;
  #usedAt = 0;
  #lastId = FIRST_ID;
  #left = 0;
  #busy = 0;
  #over = (): void => {};
  #failed: (error: Error) => void = () => {};

  constructor(answers: Answers, target: Target) {
    this.#answers = answers;
    this.#target = target;
  }

  /** Opens the connections: again after a while, since servers close those on which nothing is asked. */
  async #connect(): Promise<void> {
    const { port, request, connections } = this.#target;
    if (performance.now() - this.#usedAt > IDLE_MS) this.close();
    while (this.#sockets.length < connections) this.#add(await open(port), numbered(request, FIRST_ID));
  }

  #add(socket: Socket, bytes: (id: number) => Buffer): void {
    let id = 0;
    const send = (): void => void socket.write(bytes((id = ++this.#lastId)));
    answersOf(socket, ({ head, body }) => {
      try {
        if (!head.startsWith('http/1.1 200 ')) throw new Error(`The server refused: ${head} ${body.slice(0, 600)}`);
        this.#answers.check(body, id);
      } catch (error) {
        return this.#failed(error as Error);
      }
      if (this.#left-- > 0) send();
      else if (--this.#busy === 0) this.#over();
    });
    socket.on('close', () => {
      if (this.#sockets.includes(socket)) this.#failed(new Error('The server closed a connection'));
    });
    socket.on('start', send);
    this.#sockets.push(socket);
  }

  /** Makes so many calls. */
  async run(calls: number): Promise<void> {
    await this.#connect();
    await new Promise<void>((resolve, reject) => {
      this.#over = resolve;
      this.#failed = reject;
      const first = this.#sockets.slice(0, calls);
      this.#left = calls - first.length;
      this.#busy = first.length;
      for (const socket of first) socket.emit('start');
    });
    this.#usedAt = performance.now();
  }

  close(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}

/** A server that listens, with what drives it. */
export async function startHttp(
  load: Pick<HttpLoad, 'server' | 'node' | 'era' | 'call' | 'tools'>,
): Promise<{ readonly child: Measured; readonly port: number }> {
  const child = startProgram(`servers/http/${load.server}`, {
    node: load.node,
    env: {
      TOOLS: String(load.tools),
      SESSIONS: load.era === 'session' ? '1' : '0',
      STREAMS: load.call === 'steps' ? '1' : '0',
    },
  });
  try {
    return { child, port: (JSON.parse(await child.line()) as { port: number }).port };
  } catch (error) {
    child.kill();
    throw error;
  }
}

/** Gives what drives a server, after one call that shows that the server answers. */
export async function driveHttp(load: HttpLoad, port: number): Promise<Driver> {
  const { era, call, tools } = load;
  const request = requestBytes(load, port, era === 'session' ? await begin(port) : undefined);
  const { head, body } = await once(port, request);
  if (!head.startsWith('http/1.1 200 ')) throw new Error(`The server refused: ${head} ${body.slice(0, 600)}`);
  const answers = new Answers({ call, modern: era === 'modern', tools }, messagesIn);
  answers.check(body, FIRST_ID);
  return new Driver(answers, { port, request, connections: load.connections });
}

/** Starts a load, with a server that is warm. */
export async function openHttp(load: HttpLoad): Promise<Running> {
  const { child, port } = await startHttp(load);
  let driver: Driver | undefined;
  const run = async (calls: number): Promise<void> => {
    driver ??= await driveHttp(load, port);
    await driver.run(calls);
  };
  const close = (): void => {
    driver?.close();
    child.kill();
  };
  return warmed(child, { name: load.server, warmUp: load.warmUp, run, close });
}
