import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusalOf } from '../record/http/guard-request.ts';
import { factsOf } from '../trace/facts.ts';
import { MAX_MESSAGE_LENGTH } from '../record/tap-log.ts';
import type { Mock, MockConnection, MockSend } from './mock.ts';

/** A mock server that listens. */
export interface ServedMock {
  /** The URL for clients. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** A client, and its open streams. */
interface Visitor {
  readonly connection: MockConnection;
  /** By the id of their request. */
  readonly streams: Map<string, ServerResponse>;
  /** The stream for messages that belong to no request. */
  listening: ServerResponse | undefined;
}

const PATH = '/mcp';
/** The most sessions; the oldest is dropped first. */
const MAX_SESSIONS = 1_000;

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_LENGTH) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function openStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers });
  response.flushHeaders();
}

function visit(mock: Mock): Visitor {
  const streams = new Map<string, ServerResponse>();
  const send: MockSend = (text, about, last) => {
    const stream = (about === undefined ? undefined : streams.get(about)) ?? visitor.listening;
    if (stream === undefined || stream.destroyed) return undefined;
    const more = stream.write(`event: message\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
    if (last && stream !== visitor.listening) stream.end();
    if (more) return undefined;
    return new Promise((taken) => {
      for (const event of ['drain', 'close', 'error']) stream.once(event, () => taken());
    });
  };
  const visitor: Visitor = { connection: mock.connect(send), streams, listening: undefined };
  return visitor;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${message}\n`);
}

function take(text: string, visitor: Visitor, response: ServerResponse, headers: Record<string, string>): void {
  const { message, id } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
  if (message === 'request') {
    openStream(response, headers);
    visitor.streams.set(id!, response);
    response.once('close', () => {
      if (visitor.streams.get(id!) === response) visitor.streams.delete(id!);
    });
  } else response.writeHead(202, headers).end();
  visitor.connection.receive(text);
}

/** The clients of a mock over HTTP. */
class MockEndpoint {
  /** The port on which it listens; 0 before that. */
  port = 0;
  readonly #mock: Mock;
  readonly #sessions = new Map<string, Visitor>();
  /** The client without a session. */
  #stateless: Visitor | undefined;

  constructor(mock: Mock) {
    this.#mock = mock;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refusalOf(request, this.port);
    if (refused !== undefined) return refuse(response, refused.status, refused.message);
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `The server is at ${PATH}`);
    const session = request.headers['mcp-session-id'] as string | undefined;
    if (request.method === 'POST') return this.#post(request, response, session);
    const visitor = session === undefined ? undefined : this.#sessions.get(session);
    if (request.method === 'GET' && visitor !== undefined) {
      visitor.listening?.end();
      visitor.listening = response;
      return openStream(response);
    }
    if (request.method !== 'DELETE' || visitor === undefined) return refuse(response, 405, 'This is not served');
    this.#end(session!);
    response.writeHead(204).end();
    return undefined;
  }

  close(): void {
    for (const id of [...this.#sessions.keys()]) this.#end(id);
    this.#stateless?.connection.close();
  }

  async #post(request: IncomingMessage, response: ServerResponse, session: string | undefined): Promise<void> {
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, 413, 'The message is too long');
    const { message, method, id: requestId } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    if (message === 'invalid' || message === 'batch' || message === undefined)
      return refuse(response, 400, 'One message per request');
    // Without a valid id, its answer could not be assigned.
    if (message === 'request' && requestId === undefined)
      return refuse(response, 400, 'The id must be a string or a number');
    if (this.#mock.isModern) return take(text, this.#withoutSession(), response, {});
    if (method === 'initialize') {
      const [id, visitor] = this.#begin();
      return take(text, visitor, response, { 'mcp-session-id': id });
    }
    const visitor = session === undefined ? this.#withoutSession() : this.#sessions.get(session);
    return visitor === undefined
      ? refuse(response, 404, 'There is no such session')
      : take(text, visitor, response, {});
  }

  #withoutSession(): Visitor {
    return (this.#stateless ??= visit(this.#mock));
  }

  #begin(): [string, Visitor] {
    const id = randomUUID();
    const visitor = visit(this.#mock);
    this.#sessions.set(id, visitor);
    if (this.#sessions.size > MAX_SESSIONS) this.#end([...this.#sessions.keys()][0]!);
    return [id, visitor];
  }

  #end(id: string): void {
    const visitor = this.#sessions.get(id);
    this.#sessions.delete(id);
    visitor?.connection.close();
    visitor?.listening?.end();
    for (const stream of visitor?.streams.values() ?? []) stream.end();
  }
}

/** Serves the mock over Streamable HTTP, only on this machine: with sessions if the trace is of a legacy revision. */
export async function serveMockHttp(mock: Mock, port: number): Promise<ServedMock> {
  const endpoint = new MockEndpoint(mock);
  const server = createServer((request, response) => {
    endpoint.handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  endpoint.port = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${endpoint.port}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        endpoint.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
