// A TCP proxy: the network between a program and a server, which a test can cut, interrupt, or let fall silent.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A running proxy. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * The answer to the next request is lost, and with it the connection: the server did what it was asked, and the client cannot know. `text`:
   * only a request that contains it counts.
   */
  loseAnswer(text?: string): void;
  /** All present connections stay open, but nothing passes any more. */
  silence(): void;
  /** Cuts all present connections. */
  cut(): void;
  /**
   * Interrupts the network: present connections are cut and new ones refused, or all of them stay open and nothing passes. Returns the function
   * that ends the interruption; what was held back is lost.
   */
  interrupt(how: 'refuse' | 'hold'): () => void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine, on any free port or on this one. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const pairs = new Map<readonly [Socket, Socket], { isSilent: boolean }>();
  let losing: string | undefined;
  let interrupted: 'refuse' | 'hold' | undefined;
  const server = createServer((near) => {
    if (interrupted === 'refuse') return void near.destroy();
    const far = connect(target, '127.0.0.1');
    const state = { isSilent: false };
    const pair = [near, far] as const;
    pairs.set(pair, state);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    const isHeld = (): boolean => state.isSilent || interrupted === 'hold';
    let isLost = false;
    near.on('data', (bytes) => {
      if (isHeld()) return;
      if (losing !== undefined && bytes.includes(losing)) {
        losing = undefined;
        isLost = true;
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (isHeld()) return;
      if (isLost) end();
      else near.write(bytes);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const [near] of pairs.keys()) near.destroy();
  };
  const close = async (): Promise<void> => {
    cut();
    server.close();
    await once(server, 'close');
  };
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswer: (text = '') => void (losing = text),
    silence() {
      for (const state of pairs.values()) state.isSilent = true;
    },
    cut,
    interrupt(how) {
      interrupted = how;
      if (how === 'refuse') cut();
      return () => {
        interrupted = undefined;
        cut();
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
