// A proxy between clients and a server that disturbs their HTTP exchanges as a test plans: it cuts, delays and withholds them, passes
// answers on slowly, answers in place of the server, or does not listen.

import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../../scripts/lib/free-port.ts';

/**
 * The fault of one exchange. `cut before`: the request does not arrive; `cut after`: it arrives, and both connections break before the
 * answer; `unheard`: only the client's connection breaks, and the server finishes; `cut within`: the answer breaks off; `silence`: nothing
 * comes back until the client leaves; `slow`: the answer arrives in small pieces; `delay`: the request waits before it is passed on.
 */
export type Fault = 'none' | 'cut before' | 'cut after' | 'unheard' | 'cut within' | 'silence' | 'slow' | 'delay';

/** How the proxy treats all exchanges: it passes them on, or answers them; `refused`: nothing listens on its port. */
export type Phase = 'up' | '404' | '503' | 'refused';

export interface FaultProxy {
  readonly origin: string;
  /** The number of open exchanges. */
  readonly open: number;
  /** The port of the server. */
  target: number;
  setPhase(phase: Phase): Promise<void>;
  /** Breaks the withheld exchanges. */
  breakWithheld(): void;
  close(): Promise<void>;
}

/** The interval between attempts to reach a server that is being replaced, in milliseconds. */
const RETRY_MS = 10;
/** The minimum number of pieces of a slow answer; long answers have more, of `PIECE_BYTES` each. */
const PIECES = 40;
const PIECE_BYTES = 16;
/** The maximum number of bytes of an answer before it is cut. */
const MAX_BEFORE_CUT = 200;

/** Starts a proxy. `draw` decides about the fault of an exchange, `random` (from 0 up to 1) about its place and duration. */
export async function startFaultProxy(draw: () => Fault, random: () => number): Promise<FaultProxy> {
  const port = await freePort();
  const exchanges = new Set<ServerResponse>();
  const withheld = new Set<ServerResponse>();
  let phase: Phase = 'up';

  /** Passes a request on, as soon as there is a server. Undefined if the client has left. */
  async function forward(request: IncomingMessage, body: Buffer, response: ServerResponse, stays: boolean) {
    const { connection: _, ...headers } = request.headers;
    let sent: ClientRequest | undefined;
    if (!stays) response.once('close', () => sent?.destroy());
    while (!response.destroyed) {
      const { method, url } = request;
      sent = httpRequest({ port: proxy.target, host: '127.0.0.1', method, path: url, headers, agent: false });
      // `once` reports errors before the answer, and the reader of the answer reports later ones.
      sent.on('error', () => {});
      sent.end(body);
      try {
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        answer.on('error', () => {});
        return answer;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'ECONNREFUSED') return undefined;
        await pause(RETRY_MS);
      }
    }
    return undefined;
  }

  async function passOn(answer: IncomingMessage, response: ServerResponse, fault: Fault): Promise<void> {
    const { connection: _, 'keep-alive': __, ...headers } = answer.headers;
    response.writeHead(answer.statusCode!, headers);
    response.flushHeaders();
    let left = fault === 'cut within' ? Math.floor(random() * MAX_BEFORE_CUT) : Infinity;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const size = fault === 'slow' ? Math.max(PIECE_BYTES, Math.ceil(chunk.length / PIECES)) : chunk.length;
      for (let at = 0; at < chunk.length; at += size) {
        if (response.destroyed) return;
        response.write(chunk.subarray(at, Math.min(at + size, at + left)));
        left -= size;
        if (left <= 0) {
          // Lets written data arrive.
          await pause(1);
          response.destroy();
        }
        if (fault === 'slow') await pause(1);
      }
    }
    response.end();
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    if (phase === '404') return void response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
    if (phase === '503') return void response.writeHead(503, { 'retry-after': '1' }).end();
    const drawn = draw();
    // A client waits longer for the stream of a session than these clients wait for an answer.
    const fault = drawn === 'silence' && request.method === 'GET' ? 'slow' : drawn;
    if (fault === 'cut before') return void response.destroy();
    if (fault === 'delay') await pause(Math.ceil(random() * 100));
    if (fault === 'silence') {
      withheld.add(response);
      response.once('close', () => withheld.delete(response));
      // In half of the cases the request does not arrive at all.
      if (random() < 0.5) return;
    }
    const answer = await forward(request, body, response, fault === 'unheard');
    if (fault === 'silence') return void answer?.resume();
    if (answer === undefined || fault === 'cut after' || fault === 'unheard') {
      response.destroy();
      answer?.resume();
    } else await passOn(answer, response, fault);
  }

  const server = createServer((request, response) => {
    exchanges.add(response);
    response.once('close', () => exchanges.delete(response));
    serve(request, response).catch(() => response.destroy());
  });
  async function listen(): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  async function stopListening(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  const proxy: FaultProxy = {
    origin: `http://127.0.0.1:${port}`,
    get open() {
      return exchanges.size;
    },
    target: 0,
    async setPhase(next) {
      phase = next;
      if (next === 'refused') await stopListening();
      else if (!server.listening) await listen();
    },
    breakWithheld() {
      for (const response of [...withheld]) response.destroy();
    },
    close: stopListening,
  };
  await listen();
  return proxy;
}
