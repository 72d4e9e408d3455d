import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions } from '../../../protocol/known-options.ts';
import type { Server } from '../../../server/define.ts';
import type { GuardOptions } from '../host-guard.ts';
import { createHttpHandler, type HttpHandler } from '../handler.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { NodeHttpReply, NodeHttpRequest } from './node-http-message.ts';

/** A server as a request listener for `node:http` and frameworks based on it. */
export interface NodeHandler {
  /** Answers a request: `createServer(handler)`, `app.all('/mcp', handler)`. */
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends everything that is open: streams, sessions, running calls. */
  close(): Promise<void>;
}

/** How long running calls may continue, in milliseconds. */
const DRAIN_MS = 10_000;

/** The request listener, with access to the handler below it. */
export function createRequestListener(
  app: Server,
  options: HttpOptions,
  guard?: Pick<GuardOptions, 'bound' | 'expose'>,
): { readonly handler: HttpHandler; readonly handle: (request: IncomingMessage, response: ServerResponse) => void } {
  const handler = createHttpHandler(app, options, guard);
  return {
    handler,
    handle: (request, response) => serveInTurn(handler, request, response),
  };
}

function serve(handler: HttpHandler, request: IncomingMessage, response: ServerResponse): void {
  handler.handle(new NodeHttpRequest(request), new NodeHttpReply(response));
}

/**
 * Serves a request when its client has received the responses to the earlier requests on the same connection. Node emits all pipelined
 * requests at once, and their responses would wait in memory for a client that does not read.
 */
function serveInTurn(handler: HttpHandler, request: IncomingMessage, response: ServerResponse): void {
  // A response gets its socket when it is its turn.
  if (response.socket === null) response.once('socket', () => serve(handler, request, response));
  else serve(handler, request, response);
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
  const { handler, handle } = createRequestListener(app, options);
  const close = async (): Promise<void> => {
    await handler.drain(options.drainMs ?? DRAIN_MS);
    handler.close();
  };
  return Object.assign(handle, { close });
}
