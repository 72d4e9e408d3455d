// Stands between the nodes and the database, so that their network can be cut, or can fall silent.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Breaks all connections, and refuses new ones until `mend`. */
  cut(): void;
  /** Passes nothing on any more, and accepts connections, until `mend` breaks them. */
  silence(): void;
  mend(): void;
  close(): void;
}

/** Starts a relay to a port of this machine. */
export async function startRelay(to: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const keep = (socket: Socket, other?: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other?.destroy();
    });
  };
  const server = createServer((from) => {
    if (state === 'cut') return void from.destroy();
    if (state === 'silent') return keep(from);
    const onward = connect(to, '127.0.0.1');
    keep(from, onward);
    keep(onward, from);
    from.pipe(onward);
    onward.pipe(from);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      breakAll();
    },
    silence() {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().pause();
    },
    mend() {
      // What waits in a silent connection is lost, as it is when such a network comes back too late.
      if (state === 'silent') breakAll();
      state = 'open';
    },
    close() {
      server.close();
      breakAll();
    },
  };
}
