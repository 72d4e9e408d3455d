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
interface MockClient {
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

function connectClient(mock: Mock): MockClient {
  const streams = new Map<string, ServerResponse>();
  const send: MockSend = (text, about, last) => {
    const stream = (about === undefined ? undefined : streams.get(about)) ?? client.listening;
    if (stream === undefined || stream.destroyed) return undefined;
    const more = stream.write(`event: message\ndata: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
    if (last && stream !== client.listening) stream.end();
    if (more) return undefined;
    return new Promise((taken) => {
      for (const event of ['drain', 'close', 'error']) stream.once(event, () => taken());
    });
  };
  const client: MockClient = { connection: mock.connect(send), streams, listening: undefined };
  return client;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${message}\n`);
}

function receive(text: string, client: MockClient, response: ServerResponse, headers: Record<string, string>): void {
  const { message, id } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
  if (message === 'request') {
    openStream(response, headers);
    client.streams.set(id!, response);
    response.once('close', () => {
      if (client.streams.get(id!) === response) client.streams.delete(id!);
    });
  } else response.writeHead(202, headers).end();
  client.connection.receive(text);
}

/** The clients of a mock over HTTP. */
class MockEndpoint {
  /** The port on which it listens; 0 before that. */
  port = 0;
  readonly #mock: Mock;
  readonly #sessions = new Map<string, MockClient>();
  /** The client without a session. */
  #stateless: MockClient | undefined;

  constructor(mock: Mock) {
    this.#mock = mock;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refusalOf(request, this.port);
    if (refused !== undefined) return refuse(response, refused.status, refused.message);
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `The server is at ${PATH}`);
    const session = request.headers['mcp-session-id'] as string | undefined;
    if (request.method === 'POST') return this.#post(request, response, session);
    const client = session === undefined ? undefined : this.#sessions.get(session);
    if (request.method === 'GET' && client !== undefined) {
      client.listening?.end();
      client.listening = response;
      return openStream(response);
    }
    if (request.method !== 'DELETE' || client === undefined) return refuse(response, 405, 'This is not served');
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
    if (this.#mock.isModern) return receive(text, this.#withoutSession(), response, {});
    if (method === 'initialize') {
      const [id, client] = this.#begin();
      return receive(text, client, response, { 'mcp-session-id': id });
    }
    const client = session === undefined ? this.#withoutSession() : this.#sessions.get(session);
    return client === undefined
      ? refuse(response, 404, 'There is no such session')
      : receive(text, client, response, {});
  }

  #withoutSession(): MockClient {
    return (this.#stateless ??= connectClient(this.#mock));
  }

  #begin(): [string, MockClient] {
    const id = randomUUID();
    const client = connectClient(this.#mock);
    this.#sessions.set(id, client);
    if (this.#sessions.size > MAX_SESSIONS) this.#end([...this.#sessions.keys()][0]!);
    return [id, client];
  }

  #end(id: string): void {
    const client = this.#sessions.get(id);
    this.#sessions.delete(id);
    client?.connection.close();
    client?.listening?.end();
    for (const stream of client?.streams.values() ?? []) stream.end();
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
