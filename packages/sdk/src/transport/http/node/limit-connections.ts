import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../quota-key.ts';

/** A network with more than so many times as many connections as that of a new one makes room for it. */
const MUCH_MORE = 2;

/**
 * Limits the number of connections of a server. If there is one too many, an idle one is closed: first the oldest that never sent anything, then
 * those that wait for a next request. If all are busy, the newest of the network that has most is closed if that one has much more than the
 * network of the new connection, so that nobody can take all of them; otherwise the new one.
 */
export function limitConnections(server: HttpServer, most: number): void {
  const sockets = new Set<Socket>();
  const byNetwork = new Map<string, Set<Socket>>();
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    const own = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, own.add(socket));
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      own.delete(socket);
      if (own.size === 0 && byNetwork.get(network) === own) byNetwork.delete(network);
    });
    if (sockets.size <= most) return;
    const silent = firstSilent(sockets, socket);
    if (silent !== undefined) return void silent.destroy();
    server.closeIdleConnections();
    if (countOpen(sockets) <= most) return;
    const largest = largestOf(byNetwork.values());
    const last = largest.size > MUCH_MORE * own.size ? newestOf(largest) : undefined;
    (last ?? socket).destroy();
  });
}

function firstSilent(sockets: ReadonlySet<Socket>, newest: Socket): Socket | undefined {
  for (const socket of sockets) if (socket !== newest && socket.bytesRead === 0 && !socket.destroyed) return socket;
  return undefined;
}

function countOpen(sockets: ReadonlySet<Socket>): number {
  let count = 0;
  for (const { destroyed } of sockets) if (!destroyed) count++;
  return count;
}

function largestOf(all: Iterable<ReadonlySet<Socket>>): ReadonlySet<Socket> {
  let largest: ReadonlySet<Socket> = new Set();
  for (const sockets of all) if (sockets.size > largest.size) largest = sockets;
  return largest;
}

/** Of those that are not being closed already. */
function newestOf(sockets: ReadonlySet<Socket>): Socket | undefined {
  let newest: Socket | undefined;
  for (const socket of sockets) if (!socket.destroyed) newest = socket;
  return newest;
}
