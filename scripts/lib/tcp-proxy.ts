// A TCP proxy for tests: the network between a program and a server, which a test can cut.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A running proxy. */
export interface TcpProxy {
  readonly port: number;
  /** The next bytes from the server are lost, and with them their connection: the server did what it was asked, and nobody learns it. */
  loseNextAnswer(): void;
  /** All present connections stay open, but nothing passes any more. */
  silence(): void;
  /** Cuts all present connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine, on any free port or on this one. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let losing = false;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      if (losing) {
        losing = false;
        end();
      } else near.write(bytes);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const [near] of pairs) near.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    loseNextAnswer: () => void (losing = true),
    silence() {
      for (const pair of pairs) for (const socket of pair) socket.pause().removeAllListeners('data');
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
