import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { badRequest } from './refusal.ts';

// The HTTP listener: only on the loopback interface, with limits for slow clients and large headers.

const LOOPBACK = '127.0.0.1';
const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16 * 1024;
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  noDelay: true,
};

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export function createListener(answer: Answer): Server {
  const server = createServer(LIMITS, answer);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** Listens on a port; 0: any free one. Rejects if the port is taken. */
export function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      // From now on, an error ends at most one connection.
      server.on('error', () => {});
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const NEIGHBOURS = 20;
const LAST_PORT = 65_535;
const TAKEN = new Set(['EADDRINUSE', 'EACCES']);

/** Listens on this port; if it is taken, on one of the next ones, or on any. */
export async function listenNear(server: Server, port: number): Promise<number> {
  const last = port === 0 ? 0 : Math.min(port + NEIGHBOURS, LAST_PORT);
  for (let next = port; next <= last; next++) {
    try {
      return await listenOn(server, next);
    } catch (error) {
      server.removeAllListeners('error');
      if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return listenOn(server, 0);
}

/** Stops listening, and ends all connections. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The path and the query of a request. Throws a refusal for other forms of target, such as an absolute URL. */
export function pathOf({ url = '' }: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } {
  if (!url.startsWith('/')) throw badRequest('The target of the request must be a path');
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
