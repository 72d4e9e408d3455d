import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../../../server/define.ts';
import type { GuardOptions } from '../guard.ts';
import { createHttpHandler, type HttpHandler } from '../handler.ts';
import type { HttpOptions } from '../options.ts';
import { NodeHttpReply, NodeHttpRequest } from './exchange.ts';

/** A server as a listener for requests of `node:http`, and of frameworks on top of it. */
export interface NodeHandler {
  /** Answers a request: `createServer(handler)`, `app.all('/mcp', handler)`. */
  (request: IncomingMessage, response: ServerResponse): void;
  /** Ends what is open: streams, sessions, running calls. */
  close(): Promise<void>;
}

/** How long running calls may go on, in milliseconds. */
const DRAIN_MS = 10_000;

/** The handler, and what is below it. */
export const bridge = (
  app: Server,
  options: HttpOptions,
  guard?: Pick<GuardOptions, 'bound' | 'expose'>,
): { readonly handler: HttpHandler; readonly handle: (request: IncomingMessage, response: ServerResponse) => void } => {
  const handler = createHttpHandler(app, options, guard);
  return {
    handler,
    handle: (request, response) => serveInTurn(handler, request, response),
  };
};

function serve(handler: HttpHandler, request: IncomingMessage, response: ServerResponse): void {
  handler.handle(new NodeHttpRequest(request), new NodeHttpReply(response));
}

/**
 * Serves a request when its client has taken the answers to those before it on the same connection. Node hands over all that a client
 * pipelines at once, and what they are answered with would wait in memory for a client that does not read.
 */
function serveInTurn(handler: HttpHandler, request: IncomingMessage, response: ServerResponse): void {
  // A response has a socket from its turn on.
  if (response.socket === null) response.once('socket', () => serve(handler, request, response));
  else serve(handler, request, response);
}

/**
 * Makes a request listener of a server, to be mounted in express, fastify, or a `node:http` server of one's own. Requests are taken in
 * the names of this machine for itself unless `allowedHosts` says otherwise.
 *
 * @example
 * ```ts
 * const mcp = nodeHandler(app);
 * express().all('/mcp', mcp).listen(3000, '127.0.0.1');
 * ```
 */
export const nodeHandler = (app: Server, options: HttpOptions = {}): NodeHandler => {
  const { handler, handle } = bridge(app, options);
  const close = async (): Promise<void> => {
    await handler.drain(options.drainMs ?? DRAIN_MS);
    handler.close();
  };
  return Object.assign(handle, { close });
};
