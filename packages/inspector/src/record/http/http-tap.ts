import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TraceSink } from '../../trace/node/trace-writer.ts';
import { shownUrl } from '../headers.ts';
import { createRedactor } from '../redact.ts';
import { createSafely } from '../safely.ts';
import { isSecretName } from '../secret-names.ts';
import { createExchangeLog, type ExchangeLog } from './exchange-log.ts';
import { type Forwarding, forward } from './forward.ts';
import { refusalOf } from './guard-request.ts';
import { createTapSessions } from './tap-sessions.ts';
import { type Field, fieldsOf, valueOf } from './wire-headers.ts';

/** The server at a URL, and how the tap is placed in front of it. */
export interface HttpTapOptions {
  /** The URL of the server. Nothing else can be reached through the tap. */
  readonly target: string;
  /** The port to listen on; if it is taken, one of the next twenty. Without it, any free port. */
  readonly port?: number;
  /** Headers added to each request to the server; they replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the server in the trace. */
  readonly name: string;
  /** Receives the lines. */
  readonly sink: TraceSink;
  /** Called with notes for people, for example that tokens will not be accepted. */
  readonly onNote?: (text: string) => void;
  /** Called if recording fails. Requests still pass. */
  readonly onFailure?: (error: unknown) => void;
}

/** A tap between clients and a server over HTTP. */
export interface HttpTap {
  /** The URL for clients. */
  readonly url: string;
  /** The port of that URL. */
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** The most exchanges at a time. */
const MAX_EXCHANGES = 1_000;
const PORTS = 20;
const HEAD_BYTES = 64 * 1024;
const HEAD_MS = 60_000;

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function listenNear(server: Server, port: number | undefined): Promise<number> {
  for (let next = port ?? 0; ; next++) {
    try {
      await listen(server, next);
      return (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (port === undefined || code !== 'EADDRINUSE' || next >= Math.min(port + PORTS, 65_535)) throw error;
    }
  }
}

/** The secrets in the headers of a request, which are then hidden everywhere. */
function* secretsIn(fields: readonly Field[]): Generator<string> {
  for (const [name, value] of fields) if (isSecretName(name)) yield value.replace(/^(?:bearer|basic|dpop)\s+/i, '');
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`tenon proxy: ${message}\n`);
}

/** Node stops handling errors of a socket that it hands over: without a listener, a client that resets the connection would end the process. */
function answerRaw(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
}

/** The implementation; lazily.ts exports it. */
export async function tapHttp(options: HttpTapOptions): Promise<HttpTap> {
  const { target, headers = {}, name, sink, onNote } = options;
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${target} is not an http or https URL`);
  const redactor = createRedactor();
  for (const secret of secretsIn(Object.entries(headers))) redactor.hide(secret);
  const safely = createSafely(options.onFailure);
  const sessions = createTapSessions(
    sink,
    { name, transport: 'http', target: shownUrl(url.href), recorder: 'tap' },
    redactor,
  );
  let port = 0;
  let underWay = 0;
  /** The logs of exchanges that are in progress, or still being decoded. */
  const logs = new Set<ExchangeLog>();

  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const refused =
      refusalOf(request, port) ??
      (underWay < MAX_EXCHANGES ? undefined : { status: 503, message: 'Too many requests are under way' });
    if (refused !== undefined) {
      safely(sessions.note)(`${request.method} ${shownUrl(request.url ?? '')} was not passed on: ${refused.message}`);
      return refuse(response, refused.status, refused.message);
    }
    const fields = fieldsOf(request.rawHeaders);
    for (const secret of secretsIn(fields)) redactor.hide(secret);
    const log = createExchangeLog(
      { method: request.method!, url: request.url!, fields, origin: url.origin, path: url.pathname },
      sessions,
      safely,
    );
    const origin = `http://${valueOf(fields, 'host')!}`;
    const forwarding: Forwarding = { target: url, proxyOrigin: origin, headers: Object.entries(headers), onNote };
    underWay++;
    logs.add(log);
    response.once('close', () => {
      underWay--;
      void log.settled().then(() => logs.delete(log));
    });
    forward(request, response, forwarding, log);
  };

  const server = createServer({ maxHeaderSize: HEAD_BYTES, headersTimeout: HEAD_MS, requestTimeout: 0 }, take);
  server.on('upgrade', (_, socket) => answerRaw(socket, '501 Not Implemented'));
  server.on('connect', (_, socket) => answerRaw(socket, '405 Method Not Allowed'));
  port = await listenNear(server, options.port);

  return {
    url: `http://127.0.0.1:${port}${url.pathname}${url.search}`,
    port,
    async close() {
      const closed = new Promise<unknown>((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.all([...logs].map((log) => log.settled()));
      safely(sessions.flush)();
    },
  };
}
