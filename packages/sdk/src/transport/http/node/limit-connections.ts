import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the number of connections of a server. If there is one too many, an idle one is closed: first the oldest that never sent a
 * request, then those that wait for a next request. If all are busy, the new one is closed.
 */
export function limitConnections(server: Server, most: number): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (sockets.size <= most) return;
    const silent = firstSilent(sockets, socket);
    if (silent !== undefined) return void silent.destroy();
    server.closeIdleConnections();
    if (open(sockets) > most) socket.destroy();
  });
}

function firstSilent(sockets: ReadonlySet<Socket>, newest: Socket): Socket | undefined {
  for (const socket of sockets) if (socket !== newest && socket.bytesRead === 0 && !socket.destroyed) return socket;
  return undefined;
}

function open(sockets: ReadonlySet<Socket>): number {
  let count = 0;
  for (const { destroyed } of sockets) if (!destroyed) count++;
  return count;
}
