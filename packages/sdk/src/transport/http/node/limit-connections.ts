import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../quota-key.ts';

/** A network is asked to make room if it has more than this many times the connections of the new one's network. */
const MAX_RATIO = 2;

/**
 * Limits the number of connections of a server. Beyond it, an idle one is closed: first the oldest that never sent anything, then those
 * that wait for a next request. If all are busy, the newest connection of the network with the most connections is closed if that network
 * has many more than the network of the new connection, so that no network can use all of them; otherwise the new one is closed.
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
    const last = largest.size > MAX_RATIO * own.size ? newestOf(largest) : undefined;
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

/** The newest of the sockets that are not already being closed. */
function newestOf(sockets: ReadonlySet<Socket>): Socket | undefined {
  let newest: Socket | undefined;
  for (const socket of sockets) if (!socket.destroyed) newest = socket;
  return newest;
}
