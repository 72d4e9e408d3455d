// How the curves talk to the server that grows: one request after the other on a connection, and streams on which something is counted.
import type { Socket } from 'node:net';
import { answersOf, bytesOf, type HttpAnswer, messagesIn, open } from '../http-wire.ts';
import { type Measured, startProgram } from '../measured.ts';
import { CLAIM, INITIALIZE, LEGACY, MODERN } from '../messages.ts';

type Params = Readonly<Record<string, unknown>>;

/** The server, and one connection to it. */
export class Talk {
  readonly server: Measured;
  readonly port: number;
  readonly #socket: Socket;
  #lastId = 0;
  #answered: (answer: HttpAnswer) => void = () => {};

  private constructor(server: Measured, port: number, socket: Socket) {
    this.server = server;
    this.port = port;
    this.#socket = socket;
    answersOf(socket, (answer) => this.#answered(answer));
  }

  static async start(node: string, tools: number): Promise<Talk> {
    const server = startProgram('servers/http/growth', { node, env: { TOOLS: String(tools) } });
    const { port } = JSON.parse(await server.line()) as { port: number };
    return new Talk(server, port, await open(port));
  }

  /** The bytes of a request, in a session or of 2026-07-28. */
  bytes(method: string, params: Params, session?: string): Buffer {
    const modern = session === undefined;
    const { _meta: meta } = params;
    const name = params['name'] ?? params['uri'];
    const headers: Record<string, string | undefined> = modern
      ? {
          'mcp-protocol-version': MODERN,
          'mcp-method': method,
          'mcp-name': name === undefined ? undefined : String(name),
        }
      : { 'mcp-protocol-version': LEGACY, 'mcp-session-id': session };
    const all = modern ? { ...params, _meta: { ...CLAIM, ...(meta as object) } } : params;
    return bytesOf(this.port, headers, { jsonrpc: '2.0', id: ++this.#lastId, method, params: all });
  }

  /** Sends a request and gives its answer as it came. */
  send(bytes: Buffer): Promise<HttpAnswer> {
    const answer = new Promise<HttpAnswer>((resolve) => (this.#answered = resolve));
    this.#socket.write(bytes);
    return Promise.race([answer, this.server.ended]);
  }

  /** Sends a request; anything but a result is an error. */
  async ask(method: string, params: Params, session?: string): Promise<Params> {
    const { head, body } = await this.send(this.bytes(method, params, session));
    const answer = head.startsWith('http/1.1 200 ') ? (messagesIn(body).at(-1) as { result?: Params }) : undefined;
    if (answer?.result === undefined || answer.result['isError'] === true)
      throw new Error(`${method} was refused: ${head} ${body.slice(0, 400)}`);
    return answer.result;
  }

  /** Begins a session, and gives its id. */
  async begin(): Promise<string> {
    const message = { jsonrpc: '2.0', id: ++this.#lastId, method: 'initialize', params: INITIALIZE };
    const { head, body } = await this.send(bytesOf(this.port, {}, message));
    const session = /mcp-session-id: (\S+)/.exec(head)?.[1];
    if (session === undefined) throw new Error(`No session was begun: ${head} ${body}`);
    const headers = { 'mcp-protocol-version': LEGACY, 'mcp-session-id': session };
    await this.send(bytesOf(this.port, headers, { jsonrpc: '2.0', method: 'notifications/initialized' }));
    return session;
  }

  /** Opens a stream with a request on a connection of its own, and counts how often a text comes on it, once it has begun to come. */
  async stream(bytes: Buffer, text: string): Promise<Heard> {
    const socket = await open(this.port);
    const heard = new Heard(socket, text);
    const opened = new Promise<unknown>((resolve) => socket.once('data', resolve));
    socket.write(bytes);
    await Promise.race([opened, this.server.ended]);
    return heard;
  }

  /** Processor time that something costs the server, in microseconds. */
  async cost(work: () => Promise<unknown>): Promise<number> {
    const before = await this.server.cpu();
    await work();
    return (await this.server.cpu()) - before;
  }

  close(): void {
    this.#socket.destroy();
    this.server.kill();
  }
}

/** Counts how often a text comes on a connection. */
export class Heard {
  readonly #socket: Socket;
  #count = 0;
  #rest = '';
  #wanted = Number.POSITIVE_INFINITY;
  #reached = (): void => {};
  #failed: (error: Error) => void = () => {};

  constructor(socket: Socket, text: string) {
    this.#socket = socket;
    socket.on('close', () => this.#failed(new Error(`A stream ended after ${this.#count} of ${this.#wanted}`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const all = this.#rest + chunk;
      let from = 0;
      for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, from)) {
        this.#count++;
        from = at + text.length;
      }
      this.#rest = all.slice(Math.max(from, all.length - text.length + 1));
      if (this.#count >= this.#wanted) this.#reached();
    });
  }

  /** Resolves when the text has arrived `count` times in total. */
  times(count: number): Promise<void> {
    if (this.#count >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#wanted = count;
      this.#reached = resolve;
      this.#failed = reject;
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
