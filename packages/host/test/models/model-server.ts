import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModel } from 'ai';

/** The response of the server to one request. */
export interface Turn {
  /** The text, in chunks. */
  readonly text?: readonly string[];
  /** `pieces`: the chunks of its arguments. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly pieces: readonly string[] }[];
  /** How the response ends, if not regularly: the connection breaks, ends as if complete, or stays open. */
  readonly instead?: 'break' | 'end' | 'hang';
  readonly finish?: 'length';
  /** An HTTP error instead of a response. */
  readonly status?: number;
}

/** A tool result in a request of a provider's protocol. */
export interface SentResult {
  readonly id: string;
  readonly text: string;
}

/** A provider's protocol on the wire. */
export interface Wire {
  readonly name: string;
  readonly path: string;
  readonly model: (baseURL: string) => LanguageModel;
  /** The server-sent events of a turn, without those of its end. */
  readonly events: (turn: Turn) => string[];
  readonly end: (turn: Turn) => string[];
  readonly error: (status: number) => unknown;
  /** The tool results in the last messages of a request. */
  readonly results: (body: never) => SentResult[];
  /** The tools of a request. */
  readonly tools: (body: never) => { readonly name: string; readonly schema: unknown }[];
}

export interface ModelServer extends AsyncDisposable {
  readonly model: LanguageModel;
  readonly requests: never[];
  /** Resolves when a client has closed the connection. */
  readonly hungUp: Promise<void>;
}

/** A local server that answers each request with the next turn, and repeats the last one. */
export async function startModelServer(wire: Wire, turns: readonly Turn[]): Promise<ModelServer> {
  const requests: never[] = [];
  let hangUp = (): void => {};
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.url !== wire.path) return void response.writeHead(404).end();
    const turn = turns[Math.min(requests.length, turns.length - 1)] ?? {};
    requests.push(JSON.parse(body) as never);
    response.on('close', () => response.writableFinished || hangUp());
    await answer(wire, turn, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    model: wire.model(`http://127.0.0.1:${port}/v1`),
    requests,
    hungUp,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(wire: Wire, turn: Turn, response: ServerResponse): Promise<void> {
  if (turn.status !== undefined) {
    // The shortest delay of retries.
    response.writeHead(turn.status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    return void response.end(JSON.stringify(wire.error(turn.status)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = async (bytes: Buffer): Promise<void> => {
    response.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const event of wire.events(turn)) {
    // In two chunks that split characters and lines.
    const bytes = Buffer.from(event);
    const middle = Math.floor(bytes.length / 2);
    await send(bytes.subarray(0, middle));
    await send(bytes.subarray(middle));
  }
  if (turn.instead === 'hang') return;
  if (turn.instead === 'break') return void response.destroy();
  if (turn.instead !== 'end') for (const event of wire.end(turn)) await send(Buffer.from(event));
  response.end();
}
