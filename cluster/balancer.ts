// A load balancer that deals requests in turn, without any stickiness, to the nodes that say that they are ready.

import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly port: number;
  /** The URL of the endpoint. */
  readonly url: string;
  /** The ports of the nodes. */
  ports: readonly number[];
  /** Was the node at this port ready when it was asked last? */
  isReady(port: number): boolean;
  /** Breaks all connections of clients, as a network does. */
  drop(): void;
  close(): void;
}

/** How often nodes are asked whether they are ready, in milliseconds. */
const CHECK_MS = 250;

/** Is a node ready? One that does not answer is not. */
function askWhetherReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ host: '127.0.0.1', port, path: '/ready', timeout: CHECK_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}

/** Starts a balancer, on this port if one is given. */
export async function startBalancer(port = 0): Promise<Balancer> {
  let turn = 0;
  /** The nodes that were not ready when they were asked last. */
  const away = new Set<number>();
  const balancer = { ports: [] as readonly number[] };
  const deal = (from: IncomingMessage, to: ServerResponse): void => {
    const first = turn++;
    const body: Buffer[] = [];
    from.on('data', (chunk: Buffer) => void body.push(chunk));
    from.on('end', () => {
      const { ports } = balancer;
      const order = ports.map((_, at) => ports[(first + at) % ports.length]!);
      // If no node that is ready can be reached, one of the others may do.
      tryNext([...order.filter((each) => !away.has(each)), ...order.filter((each) => away.has(each))], {
        from,
        to,
        body: Buffer.concat(body),
      });
    });
  };
  const server = createServer(deal);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const checks = setInterval(() => {
    for (const each of balancer.ports)
      void askWhetherReady(each).then((ready) => (ready ? away.delete(each) : away.add(each)));
  }, CHECK_MS);
  const close = (): void => {
    clearInterval(checks);
    server.close();
    server.closeAllConnections();
  };
  const isReady = (each: number): boolean => !away.has(each);
  const drop = (): void => server.closeAllConnections();
  return Object.assign(balancer, { port: own, url: `http://127.0.0.1:${own}/mcp`, isReady, drop, close });
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
