import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { checkOptions, type KnownOptions } from '../../../protocol/known-options.ts';
import type { Server } from '../../../server/define.ts';
import { openStateOfEnvironment, type StateOfEnvironment } from '../../../store/node/store-of-environment.ts';
import { asHost, isAllInterfaces } from '../host-names.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { limitConnections } from './limit-connections.ts';
import { createRequestListener } from './node-handler.ts';

/** Options for serving on a port. */
export interface ServeHttpOptions extends HttpOptions {
  /** The port to listen on. Default 3000; 0 takes any free port. */
  readonly port?: number;
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. */
  readonly host?: string;
  /** Confirms that listening on every network interface is intended. Needs `allowedHosts` or `auth`, too. Default false. */
  readonly expose?: boolean;
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string;
  /**
   * The path at which load balancers check whether this server accepts requests: 200, or 503 during shutdown. Default `/health`; `false`
   * for none.
   */
  readonly health?: string | false;
  /**
   * On SIGTERM and SIGINT: accepts no more requests, finishes the running ones, then ends the process as the signal would have. Default
   * true.
   */
  readonly signals?: boolean;
  /**
   * The maximum number of connections. Default 5,000. Beyond it, idle ones are closed for new ones; if none are idle, those of a network
   * that has many more than others.
   */
  readonly connections?: number;
}

/** A server on a port. */
export interface ServedHttp {
  /** The URL of the endpoint. */
  readonly url: string;
  /** The port: the one that was asked for, or the free one that was found. */
  readonly port: number;
  /** Accepts no more requests, lets the running ones finish, and closes. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
/** How long sending the last responses may take, in milliseconds. */
const FLUSH_MS = 1_000;
const MAX_CONNECTIONS = 5_000;

/** Limits on how slowly a peer may send, and how large its headers may be. */
export const TIMEOUTS = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
};
const HEADER_BYTES = 16 * 1024;

/**
 * Serves a server over HTTP, in every revision at one address. By default only this machine can reach it, under its loopback names; see
 * `host`, `allowedHosts` and `expose`. Rejects when it cannot listen, and with a `TypeError` for unsafe options.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const { url } = await serveHttp(app, { port: 3000 });
 * ```
 */
export async function serveHttp(app: Server, options: ServeHttpOptions = {}): Promise<ServedHttp> {
  checkOptions(options, OPTIONS);
  const own = await openStateOfEnvironment(options);
  try {
    return await serveWith(own, app, options);
  } catch (error) {
    await own.close();
    throw error;
  }
}

async function serveWith(own: StateOfEnvironment, app: Server, options: ServeHttpOptions): Promise<ServedHttp> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', expose = false, health = '/health' } = options;
  const given = { ...options, path, store: options.store ?? own.store, bus: options.bus ?? own.bus };
  const { handler, handle } = createRequestListener(app, given, { bound: host, expose });
  let draining = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (draining) response.shouldKeepAlive = false;
    if (health !== false && request.url === health && request.method === 'GET') return answerHealth(response, draining);
    handle(request, response);
  };
  const server = createServer({ ...TIMEOUTS, maxHeaderSize: HEADER_BYTES, noDelay: true }, answer);
  limitConnections(server, options.connections ?? MAX_CONNECTIONS);
  await listen(server, port, host.replace(/^\[(.*)\]$/, '$1'));
  const address = server.address() as AddressInfo;
  if (!expose && isAllInterfaces(address.address)) {
    await stop(server, 0);
    throw new TypeError(`'${host}' is the address of every network interface: set \`expose: true\` if you want that`);
  }

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      draining = true;
      // Still listening: health checks and other requests are answered with 503.
      await handler.drain(options.drainMs ?? DRAIN_MS);
      handler.close();
      await stop(server, FLUSH_MS);
      await own.close();
      forget();
    })());
  const forget = options.signals === false ? () => {} : onSignals(close);
  const name = isAllInterfaces(address.address) ? '127.0.0.1' : asHost(host);
  return { url: `http://${name}:${address.port}${path}`, port: address.port, close };
}

function answerHealth(response: ServerResponse, draining: boolean): void {
  response.writeHead(draining ? 503 : 200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(draining ? '{"status":"draining"}' : '{"status":"ok"}');
}

function listen(server: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Accepts no more connections, and waits for the open ones, for at most `ms` milliseconds. */
function stop(server: HttpServer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Closes on a signal, then lets the signal take effect. A second signal takes effect at once. */
function onSignals(close: () => Promise<void>): () => void {
  const forget = (): void => {
    for (const signal of SIGNALS) process.off(signal, handler);
  };
  const handler = (signal: NodeJS.Signals): void => {
    forget();
    void close().finally(() => {
      // Another listener decides what happens.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  };
  for (const signal of SIGNALS) process.on(signal, handler);
  return forget;
}

const OPTIONS: KnownOptions<ServeHttpOptions> = {
  ...HTTP_OPTIONS,
  port: 1,
  host: 1,
  expose: 1,
  health: 1,
  signals: 1,
  connections: 1,
};
