// A load balancer that deals requests in turn, without any stickiness.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** The URL of the endpoint. */
  readonly url: string;
  /** The ports of the nodes that get requests. */
  ports: readonly number[];
  close(): void;
}

/** Starts a balancer, on this port if one is given. */
export async function startBalancer(port = 0): Promise<Balancer> {
  let turn = 0;
  const balancer = { ports: [] as readonly number[] };
  const deal = (from: IncomingMessage, to: ServerResponse): void => {
    const { ports } = balancer;
    const first = turn++;
    const body: Buffer[] = [];
    from.on('data', (chunk: Buffer) => void body.push(chunk));
    from.on('end', () => {
      const order = ports.map((_, at) => ports[(first + at) % ports.length]!);
      tryNext(order, { from, to, body: Buffer.concat(body) });
    });
  };
  const server = createServer(deal);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(balancer, { port: own, url: `http://127.0.0.1:${own}/mcp`, close });
}

/** Sends a request to the first of these nodes. The next one gets it only if no connection could be made. */
function tryNext(
  [port, ...others]: readonly number[],
  exchange: { readonly from: IncomingMessage; readonly to: ServerResponse; readonly body: Buffer },
): void {
  const { from, to, body } = exchange;
  if (port === undefined) {
    to.writeHead(502, { 'content-type': 'text/plain' }).end('No node can be reached');
    return;
  }
  const { method, url: path, headers } = from;
  const forwarded = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  let connected = false;
  forwarded.once('socket', (socket) => socket.once('connect', () => (connected = true)));
  forwarded.once('response', (response) => {
    to.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(to);
    // A node that was killed leaves an incomplete response, and the client has to notice.
    response.once('error', () => to.destroy());
  });
  forwarded.once('error', () => {
    if (!connected) tryNext(others, exchange);
    else to.destroy();
  });
  to.once('close', () => forwarded.destroy());
  forwarded.end(body);
}
