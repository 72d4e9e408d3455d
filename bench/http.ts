// Drives one server over HTTP with a fixed number of connections, one request at a time on each, checks every answer, and tells what a
// request cost the server.
import type { Socket } from 'node:net';
import { answersOf, begin, bytesOf, messagesIn, numbered, once, open } from './http-wire.ts';
import { type Cost, type Measured, startProgram } from './measured.ts';
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
  readonly warmUp: number;
  readonly calls: number;
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

/** Keeps a number of connections busy with a request, each time with another id. */
class Driver {
  readonly #sockets: Socket[] = [];
  readonly #answers: Answers;
  #lastId = FIRST_ID;
  #left = 0;
  #busy = 0;
  #over = (): void => {};
  #failed: (error: Error) => void = () => {};

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  async connect(port: number, request: Buffer, connections: number): Promise<void> {
    for (let index = 0; index < connections; index++) this.#add(await open(port), numbered(request, FIRST_ID));
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
    socket.on('close', () => this.#failed(new Error('The server closed a connection')));
    socket.on('start', send);
    this.#sockets.push(socket);
  }

  /** Makes so many calls. */
  run(calls: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#over = resolve;
      this.#failed = reject;
      const first = this.#sockets.slice(0, calls);
      this.#left = calls - first.length;
      this.#busy = first.length;
      for (const socket of first) socket.emit('start');
    });
  }

  close(): void {
    this.#failed = () => {};
    for (const socket of this.#sockets) socket.destroy();
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

/** Opens the connections of a load, after one call that shows that the server answers. */
export async function driveHttp(load: HttpLoad, port: number): Promise<Driver> {
  const { era, call, tools } = load;
  const request = requestBytes(load, port, era === 'session' ? await begin(port) : undefined);
  const { head, body } = await once(port, request);
  if (!head.startsWith('http/1.1 200 ')) throw new Error(`The server refused: ${head} ${body.slice(0, 600)}`);
  const answers = new Answers({ call, modern: era === 'modern', tools }, messagesIn);
  answers.check(body, FIRST_ID);
  const driver = new Driver(answers);
  await driver.connect(port, request, load.connections);
  return driver;
}

/** Runs a load. */
export async function runHttp(load: HttpLoad): Promise<Cost> {
  const { warmUp, calls } = load;
  const { child, port } = await startHttp(load);
  let driver: Driver | undefined;
  try {
    driver = await driveHttp(load, port);
    await Promise.race([driver.run(warmUp), child.ended]);
    const before = await child.cpu();
    const began = performance.now();
    await Promise.race([driver.run(calls), child.ended]);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await child.cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`${load.server}: ${(error as Error).message}\n${child.errors()}`, { cause: error });
  } finally {
    driver?.close();
    child.kill();
  }
}
