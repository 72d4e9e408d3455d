// A TCP proxy: the network between a program and a server, which a test can cut, interrupt, slow down, or let fall silent.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A bad network. */
export interface Impairment {
  /** How long everything takes in each direction, in milliseconds. */
  readonly delayMs: number;
  /** The share of pieces that are lost, from 0 to 1. TCP sends them again, so they and everything behind them arrive late. */
  readonly loss: number;
  readonly random: () => number;
}

/** A running proxy. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * The answer to the next request is lost, and with it the connection: the server did what it was asked, and the client cannot know. `text`:
   * only a request that contains it counts.
   */
  loseAnswer(text?: string): void;
  /**
   * From the next request that contains this text on, nothing passes on its connection any more: the server accepts connections, and does not
   * answer. Returns the function that ends this for new connections.
   */
  ignore(text: string): () => void;
  /** All present connections stay open, but nothing passes any more. */
  silence(): void;
  /** Cuts all present connections. */
  cut(): void;
  /**
   * Interrupts the network: present connections are cut and new ones refused, or all of them stay open and nothing passes. Returns the function
   * that ends the interruption; what was held back is lost.
   */
  interrupt(how: 'refuse' | 'hold'): () => void;
  /** Impairs the network for all connections. Returns the function that ends this. */
  impair(impairment: Impairment): () => void;
  /**
   * The program stops reading from the connections that it has now and from later ones, so that what the server sends fills the buffers.
   * Returns the function that ends this: then everything in the buffers arrives.
   */
  stopReading(): () => void;
  close(): Promise<void>;
}

/** How long it takes until TCP sends a lost piece again, in milliseconds: the least that Linux waits. */
const RESEND_MS = 200;

/** Passes pieces on in their order, each after its delay. */
function delayLine(
  deliver: (bytes: Buffer) => void,
  impairment: () => Impairment | undefined,
): (bytes: Buffer) => void {
  const waiting: { readonly at: number; readonly bytes: Buffer }[] = [];
  const pass = (): void => {
    while (waiting.length > 0 && waiting[0]!.at <= performance.now()) deliver(waiting.shift()!.bytes);
    if (waiting.length > 0) setTimeout(pass, Math.max(waiting[0]!.at - performance.now(), 0));
  };
  return (bytes) => {
    const impaired = impairment();
    if (impaired === undefined && waiting.length === 0) return deliver(bytes);
    const { delayMs = 0, loss = 0, random } = impaired ?? {};
    const isLost = random !== undefined && random() < loss;
    const at = performance.now() + delayMs + (isLost ? RESEND_MS + 2 * delayMs : 0);
    // What follows a lost piece waits for it.
    waiting.push({ at: Math.max(at, waiting.at(-1)?.at ?? 0), bytes });
    if (waiting.length === 1) setTimeout(pass, Math.max(waiting[0]!.at - performance.now(), 0));
  };
}

/** Starts a proxy in front of a port of this machine, on any free port or on this one. */
export async function startTcpProxy(target: number, port = 0): Promise<TcpProxy> {
  const pairs = new Map<readonly [Socket, Socket], { isSilent: boolean }>();
  let losing: string | undefined;
  let ignored: string | undefined;
  let interrupted: 'refuse' | 'hold' | undefined;
  let impairment: Impairment | undefined;
  let isReading = true;
  const server = createServer({ noDelay: true }, (near) => {
    if (interrupted === 'refuse') return void near.destroy();
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true });
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
    const toServer = delayLine(
      (bytes) => far.write(bytes),
      () => impairment,
    );
    const toProgram = delayLine(
      (bytes) => near.write(bytes),
      () => impairment,
    );
    near.on('data', (bytes) => {
      if (ignored !== undefined && bytes.includes(ignored)) state.isSilent = true;
      if (isHeld()) return;
      if (losing !== undefined && bytes.includes(losing)) {
        losing = undefined;
        isLost = true;
      }
      toServer(bytes);
    });
    far.on('data', (bytes) => {
      if (isHeld()) return;
      if (isLost) end();
      else toProgram(bytes);
    });
    if (!isReading) far.pause();
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
    ignore(text) {
      ignored = text;
      return () => void (ignored = undefined);
    },
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
    impair(given) {
      impairment = given;
      return () => void (impairment = undefined);
    },
    stopReading() {
      isReading = false;
      for (const [, far] of pairs.keys()) far.pause();
      return () => {
        isReading = true;
        for (const [, far] of pairs.keys()) far.resume();
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
