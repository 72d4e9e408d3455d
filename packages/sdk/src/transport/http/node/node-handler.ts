import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions } from '../../../protocol/known-options.ts';
import type { Server } from '../../../server/define.ts';
import type { GuardOptions } from '../host-guard.ts';
import { createHttpHandler } from '../handler.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { NodeHttpReply, NodeHttpRequest } from './node-http-message.ts';
import { WriteBatch } from './write-batch.ts';

/** A server as a request listener for `node:http` and frameworks based on it. */
export interface NodeHandler {
  /** Answers a request: `createServer(handler)`, `app.all('/mcp', handler)`. */
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends everything that is open: streams, sessions, running calls. */
  close(): Promise<void>;
}

/** How long running calls may continue, in milliseconds. */
const DRAIN_MS = 10_000;

/** A request listener that can be closed. */
interface RequestListener {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Lets running calls finish, for at most `drainMs`, and resolves when the last response is written. */
  readonly close: () => Promise<void>;
}

/** The request listener for a port, whose guard knows the address that it is bound to, or for another server. */
export function createRequestListener(
  app: Server,
  options: HttpOptions,
  guard?: Pick<GuardOptions, 'bound' | 'expose'>,
): RequestListener {
  const handler = createHttpHandler(app, options, guard);
  const batch = new WriteBatch();
  const serve = (request: IncomingMessage, response: ServerResponse): void =>
    handler.handle(new NodeHttpRequest(request), new NodeHttpReply(response, batch));
  return {
    handle: (request, response) => serveInTurn(serve, request, response),
    close: async () => {
      await handler.drain(options.drainMs ?? DRAIN_MS);
      handler.close();
      await batch.written();
    },
  };
}

/**
 * Serves a request when its client has received the responses to the earlier requests on the same connection. Node emits all pipelined
 * requests at once, and their responses would wait in memory for a client that does not read.
 */
function serveInTurn(serve: RequestListener['handle'], request: IncomingMessage, response: ServerResponse): void {
  // A response gets its socket when it is its turn.
  if (response.socket === null) response.once('socket', () => serve(request, response));
  else serve(request, response);
}

/**
 * Makes a request listener of a server, to mount in Express, Fastify, or your own `node:http` server. Only requests to loopback names are
 * accepted unless `allowedHosts` is given. Throws a `TypeError` for an entry of `allowedHosts` or `allowedOrigins` that cannot match.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { server } from 'tenon';
 * import { nodeHandler } from 'tenon/http';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * // In Express: `app.all('/mcp', handler)`.
 * const handler = nodeHandler(app, { path: '/mcp' });
 * createServer(handler).listen(3000, '127.0.0.1');
 * ```
 */
export function nodeHandler(app: Server, options: HttpOptions = {}): NodeHandler {
  checkOptions(options, HTTP_OPTIONS);
  const { handle, close } = createRequestListener(app, options);
  return Object.assign(handle, { close });
}
