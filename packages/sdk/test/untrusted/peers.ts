// Servers in this process with scripted responses, on a channel and over HTTP.
import type { ConnectOptions } from '../../src/entries/client.ts';
import type { Channel } from '../../src/protocol/channel.ts';
import { memoryPair } from '../../src/transport/memory.ts';
import { ID } from './corpus.ts';
import { type Json, write } from './values.ts';

export interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params?: Json;
}

/** The responses of a server. `ID` in them is a placeholder for the id of the request. */
export type Answers = (request: Request) => Json;

export interface Peer {
  readonly target: Channel | string;
  readonly options: ConnectOptions;
  /** Sends a message of its own. */
  send(message: Json): void;
}

/** The messages that answer a request. A subscription is acknowledged, and stays open. */
function textsFor(answers: Answers, request: Request): string[] {
  const id = JSON.stringify(request.id);
  const answer = answers(request);
  const listens = request.method === 'subscriptions/listen' && isGood(answer);
  const params = {
    _meta: { 'io.modelcontextprotocol/subscriptionId': request.id },
    notifications: request.params?.['notifications'],
  };
  const message = listens ? { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params } : answer;
  return [write(message).replaceAll(JSON.stringify(ID), id)];
}

function isGood(answer: Json): boolean {
  return answer['id'] === ID && Object.hasOwn(answer, 'result');
}

export function memoryPeer(answers: Answers): Peer {
  const [near, far] = memoryPair();
  void (async () => {
    for await (const item of far.incoming) {
      const message = JSON.parse(item as string) as Partial<Request>;
      if (message.method === undefined || message.id === undefined) continue;
      for (const text of textsFor(answers, message as Request)) void far.send(text);
    }
  })();
  return { target: near, options: {}, send: (message) => void far.send(write(message)) };
}

/** Over HTTP, as a `fetch` that accepts only what the real one accepts. Responses are JSON and streams in turn. */
export function httpPeer(answers: Answers): Peer {
  const encoder = new TextEncoder();
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const eventOf = (text: string): Uint8Array => encoder.encode(`id: ${++events}\ndata: ${text}\n\n`);
  let events = 0;
  let count = 0;
  /** A stream with these messages; with a signal it stays open until that aborts. */
  const streamOf = (texts: readonly string[], signal?: AbortSignal): Response => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const text of texts) controller.enqueue(eventOf(text));
        if (signal === undefined) return controller.close();
        streams.add(controller);
        return signal.addEventListener('abort', () => {
          if (streams.delete(controller)) controller.error(signal.reason);
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const fetch = async (input: string | URL | globalThis.Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    // Nothing is stored, so lost events cannot be resumed.
    if (request.headers.has('last-event-id')) return new Response(null, { status: 400 });
    if (request.method === 'GET') return streamOf([], request.signal);
    if (request.method === 'DELETE') return new Response(null, { status: 204 });
    const message = JSON.parse(await request.text()) as Partial<Request>;
    if (message.method === undefined || message.id === undefined) return new Response(null, { status: 202 });
    const texts = textsFor(answers, message as Request);
    if (message.method === 'subscriptions/listen') return streamOf(texts, request.signal);
    if (count++ % 2 === 0) return streamOf(texts);
    const session = message.method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {};
    return new Response(texts[0]!, { headers: { 'content-type': 'application/json', ...session } });
  };
  return {
    target: 'http://peer.test/mcp',
    options: { fetch },
    send(message) {
      for (const controller of streams) controller.enqueue(eventOf(write(message)));
    },
  };
}
