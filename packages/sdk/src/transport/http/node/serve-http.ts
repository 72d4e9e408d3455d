import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { checkOptions, type KnownOptions } from '../../../protocol/known-options.ts';
import { safeLogger, silent } from '../../../protocol/log.ts';
import { rateLimitedLogger } from '../../../protocol/rate-limited-logger.ts';
import type { Server } from '../../../server/define.ts';
import { type EnvironmentState, openEnvironment } from '../../../store/node/environment.ts';
import { asHost, isAllInterfaces } from '../host-names.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { limitConnections } from './limit-connections.ts';
import { createRequestListener } from './node-handler.ts';
import { type ProbePaths, Probes } from './probes.ts';

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
   * The path at which a supervisor checks whether this process answers: always 200. Default `/health`, unless that is the path of the
   * endpoint; `false` for none.
   */
  readonly health?: string | false;
  /**
   * The path at which a load balancer checks whether this server accepts requests: 200, or 503 during shutdown and while the store does not
   * answer. Default `/ready`, unless that is the path of the endpoint; `false` for none.
   */
  readonly ready?: string | false;
  /**
   * How long requests are still accepted after the server began to shut down, in milliseconds, so that a load balancer stops sending them.
   * Default 5,000 if something has asked `ready` within the last minute, else 0.
   */
  readonly noticeMs?: number;
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

/** Long enough for load balancers that check every few seconds, or that are told by a supervisor. */
const NOTICE_MS = 5_000;
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
  const own = await openEnvironment(options);
  try {
    return await serveWith(own, app, options);
  } catch (error) {
    await own.close();
    throw error;
  }
}

async function serveWith(own: EnvironmentState, app: Server, options: ServeHttpOptions): Promise<ServedHttp> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', expose = false } = options;
  const { store = own.store, bus = own.bus, keys = own.keys } = options;
  const given = { ...options, path, store, bus, keys };
  const listener = createRequestListener(app, given, { bound: host, expose });
  const probes = new Probes(
    probePaths(options, path),
    given.store,
    rateLimitedLogger(safeLogger(options.log ?? silent)),
  );
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (probes.draining) response.shouldKeepAlive = false;
    if (!probes.answer(request, response)) listener.handle(request, response);
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
      probes.draining = true;
      await notice(options.noticeMs ?? (probes.areUsed ? NOTICE_MS : 0));
      // Still listening: requests are answered with 503.
      await listener.close();
      await stop(server, FLUSH_MS);
      await own.close();
      forget();
    })());
  const forget = options.signals === false ? () => {} : onSignals(close);
  const name = isAllInterfaces(address.address) ? '127.0.0.1' : asHost(host);
  return { url: `http://${name}:${address.port}${path}`, port: address.port, close };
}

/** By default the probes give way to the endpoint. */
function probePaths({ health, ready }: ServeHttpOptions, endpoint: string): ProbePaths {
  const unless = (path: string): string | false => (path === endpoint ? false : path);
  return { health: health ?? unless('/health'), ready: ready ?? unless('/ready') };
}

/** Gives load balancers time to notice that the server shuts down. */
async function notice(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
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
  ready: 1,
  noticeMs: 1,
  signals: 1,
  connections: 1,
};
