import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusalOf } from '../record/http/guard-request.ts';
import { factsOf } from '../trace/facts.ts';
import { MAX_MESSAGE_LENGTH } from '../record/tap-log.ts';
import type { Mock, MockConnection, MockSend } from './mock.ts';

/** A mock server that listens. */
export interface ServedMock {
  /** The address for clients. */
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** A client, and the streams to it that are open. */
interface Visitor {
  readonly connection: MockConnection;
  /** By the id of their request. */
  readonly streams: Map<string, ServerResponse>;
  /** For what belongs to no request. */
  listening: ServerResponse | undefined;
}

const PATH = '/mcp';
/** The oldest session goes when there are more. */
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

/** Serves the mock over Streamable HTTP, on this machine only: with sessions where the trace is of a legacy revision. */
export async function serveMockHttp(mock: Mock, port: number): Promise<ServedMock> {
  const sessions = new Map<string, Visitor>();
  let stateless: Visitor | undefined;
  let own = 0;

  const refuse = (response: ServerResponse, status: number, message: string): void => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(`${message}\n`);
  };

  const begin = (): [string, Visitor] => {
    const id = randomUUID();
    const visitor = visit(mock);
    sessions.set(id, visitor);
    if (sessions.size > MAX_SESSIONS) end([...sessions.keys()][0]!);
    return [id, visitor];
  };

  const end = (id: string): void => {
    const visitor = sessions.get(id);
    sessions.delete(id);
    visitor?.connection.close();
    visitor?.listening?.end();
    for (const stream of visitor?.streams.values() ?? []) stream.end();
  };

  const take = (text: string, visitor: Visitor, response: ServerResponse, headers: Record<string, string>): void => {
    const { message, id } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    if (message === 'request') {
      openStream(response, headers);
      visitor.streams.set(id!, response);
      response.once('close', () => {
        if (visitor.streams.get(id!) === response) visitor.streams.delete(id!);
      });
    } else response.writeHead(202, headers).end();
    visitor.connection.receive(text);
  };

  const post = async (
    request: IncomingMessage,
    response: ServerResponse,
    session: string | undefined,
  ): Promise<void> => {
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, 413, 'The message is too long');
    const { message, method, id: requestId } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    if (message === 'invalid' || message === 'batch' || message === undefined)
      return refuse(response, 400, 'One message per request');
    // Its answer could not be told from others.
    if (message === 'request' && requestId === undefined)
      return refuse(response, 400, 'The id must be a string or a number');
    if (mock.isModern) return take(text, (stateless ??= visit(mock)), response, {});
    if (method === 'initialize') {
      const [id, visitor] = begin();
      return take(text, visitor, response, { 'mcp-session-id': id });
    }
    const visitor = session === undefined ? (stateless ??= visit(mock)) : sessions.get(session);
    return visitor === undefined
      ? refuse(response, 404, 'There is no such session')
      : take(text, visitor, response, {});
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refused = refusalOf(request, own);
    if (refused !== undefined) return refuse(response, refused.status, refused.message);
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `The server is at ${PATH}`);
    const session = request.headers['mcp-session-id'] as string | undefined;
    if (request.method === 'POST') return post(request, response, session);
    const visitor = session === undefined ? undefined : sessions.get(session);
    if (request.method === 'GET' && visitor !== undefined) {
      visitor.listening?.end();
      visitor.listening = response;
      return openStream(response);
    }
    if (request.method !== 'DELETE' || visitor === undefined) return refuse(response, 405, 'This is not served');
    end(session!);
    response.writeHead(204).end();
    return undefined;
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  own = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${own}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        for (const id of [...sessions.keys()]) end(id);
        stateless?.connection.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
