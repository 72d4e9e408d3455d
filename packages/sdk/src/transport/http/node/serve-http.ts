import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import type { Server } from '../../../server/define.ts';
import { asHost, isAllInterfaces } from '../guard-hosts.ts';
import type { HttpOptions } from '../options.ts';
import { boundConnections } from './crowd.ts';
import { bridge } from './node-handler.ts';

/** How a server is served on a port. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default 3000; 0 takes any that is free. */
  readonly port?: number;
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** Listening on every network interface is meant. Needs `allowedHosts` or `auth`, too. */
  readonly expose?: boolean;
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string;
  /** Where a load balancer asks whether this server takes requests: 200, or 503 while it shuts down. Default `/health`; `false` for nowhere. */
  readonly health?: string | false;
  /** On SIGTERM and SIGINT: take no more requests, finish those that run, then end the process as the signal would have. Default true. */
  readonly signals?: boolean;
  /** Most connections at once. Default 5,000. Beyond, those that do nothing make room for new ones. */
  readonly connections?: number;
}

/** A server on a port. */
export interface ServedHttp {
  /** The address of the endpoint. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets those that run finish, and closes. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
/** How long the last answers may take to leave, in milliseconds. */
const FLUSH_MS = 1_000;
const MOST_CONNECTIONS = 5_000;

/** Bounds on how slowly a peer may send, and how large its headers may be. */
export const SLOW = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
};
const HEADER_BYTES = 16 * 1024;

/**
 * Serves a server over HTTP, in every revision at one address. Only this machine can reach it, and only under its own names,
 * unless `host`, `allowedHosts` and `expose` say otherwise. Rejects when it cannot listen; throws a `TypeError` for options that are not safe.
 *
 * @example
 * ```ts
 * const { url } = await serveHttp(app, { port: 3000 });
 * ```
 */
export const serveHttp = async (app: Server, options: ServeHttpOptions = {}): Promise<ServedHttp> => {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', expose = false, health = '/health' } = options;
  const { handler, handle } = bridge(app, { ...options, path }, { bound: host, expose });
  let draining = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (draining) response.shouldKeepAlive = false;
    if (health !== false && request.url === health && request.method === 'GET') return tellHealth(response, draining);
    handle(request, response);
  };
  const server = createServer({ ...SLOW, maxHeaderSize: HEADER_BYTES, noDelay: true }, answer);
  boundConnections(server, options.connections ?? MOST_CONNECTIONS);
  await listen(server, port, host.replace(/^\[(.*)\]$/, '$1'));
  const address = server.address() as AddressInfo;
  if (!expose && isAllInterfaces(address.address)) {
    await stop(server, 0);
    throw new TypeError(`'${host}' is the address of every network interface: set \`expose: true\` if that is meant`);
  }

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      draining = true;
      // Still listening: who asks for its health is told, everybody else is told to come back later.
      await handler.drain(options.drainMs ?? DRAIN_MS);
      handler.close();
      await stop(server, FLUSH_MS);
      forget();
    })());
  const forget = options.signals === false ? () => {} : onSignals(close);
  const name = isAllInterfaces(address.address) ? '127.0.0.1' : asHost(host);
  return { url: `http://${name}:${address.port}${path}`, port: address.port, close };
};

const tellHealth = (response: ServerResponse, draining: boolean): void => {
  response.writeHead(draining ? 503 : 200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(draining ? '{"status":"draining"}' : '{"status":"ok"}');
};

const listen = (server: HttpServer, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Takes no more connections, and waits for those there are, but not longer than this many milliseconds. */
const stop = (server: HttpServer, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Closes on a signal, and then lets it do what it does. A second signal does that at once. */
const onSignals = (close: () => Promise<void>): (() => void) => {
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, handler);
  };
  const handler = (signal: NodeJS.Signals): void => {
    forget();
    void close().finally(() => {
      // Somebody else who listens decides what happens.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  };
  for (const signal of SIGNALS) process.on(signal, handler);
  return forget;
};
