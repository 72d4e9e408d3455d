// Stands between the nodes and the database, so that their network can be cut.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Breaks all connections, and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(to: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((from) => {
    if (isCut) return void from.destroy();
    const onward = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [from, onward],
      [onward, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      breakAll();
    },
    mend: () => void (isCut = false),
    close() {
      server.close();
      breakAll();
    },
  };
}
