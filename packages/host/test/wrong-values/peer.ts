// A server with one invalid value.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Target } from 'tenon/client';
import { memoryPair } from 'tenon/testing';
import { FAILURE, MODERN, RESULTS, SENT } from './documents.ts';
import { MISSING, withValue } from './kinds.ts';

/** The invalid value and its place. */
export interface Wrong {
  /** `http`: modern, over HTTP, where names are sent in headers. */
  readonly era: 'legacy' | 'modern' | 'http';
  /** A method, for its result; `error` for the response to a call, `asking`, or a key of `SENT`. */
  readonly document: string;
  readonly path: string;
  readonly value: unknown;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly _meta?: { readonly progressToken?: unknown } };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Documents = Readonly<Record<string, unknown>>;

const METHODS_OF_LEGACY: Documents = RESULTS;
const METHODS_OF_MODERN: Documents = { ...RESULTS, ...MODERN, initialize: undefined };
const SENT_BY_NAME: Readonly<Record<string, object>> = SENT;

/** Requests whose response is not awaited: a message without a valid id or method cannot be answered. */
const UNANSWERED = ['', 'id', 'method', 'jsonrpc', 'params'];

/** The result of a method. Undefined for an unknown one. */
function answerOf({ era, document, path, value }: Wrong, method: string): unknown {
  const right = (era === 'legacy' ? METHODS_OF_LEGACY : METHODS_OF_MODERN)[method];
  if (right === undefined) return method === 'ping' || method === 'logging/setLevel' ? {} : MISSING;
  return method === document ? withValue(right, path, value) : right;
}

/** The behaviour of a peer on one connection. */
async function serve(send: (message: unknown) => void, incoming: AsyncIterable<unknown>, wrong: Wrong): Promise<void> {
  const { document, path, value } = wrong;
  let replied: ((reply: string) => void) | undefined;

  const act = async (token: unknown): Promise<string> => {
    const right = SENT_BY_NAME[document];
    if (right === undefined) return 'done';
    const given = document === 'progress' ? withValue(right, 'params.progressToken', token) : right;
    const reply = new Promise<string>((resolve) => (replied = resolve));
    send(withValue(given, path, value));
    return 'id' in right && !UNANSWERED.includes(path) ? reply : 'sent';
  };

  const call = async ({ id, params }: Message): Promise<unknown> => {
    if (document === 'error') return withValue(withValue(FAILURE, 'id', id), path, value);
    if (
      document === 'asking' &&
      params?.name === 'act' &&
      !(Object.hasOwn(params, 'inputResponses') || Object.hasOwn(params, 'requestState'))
    )
      return { jsonrpc: '2.0', id, result: withValue(MODERN.asking, path, value) };
    const said = params?.name === 'act' ? await act(params._meta?.progressToken) : 'done';
    const isRight = document !== 'tools/call';
    const result = isRight
      ? { resultType: 'complete', content: [{ type: 'text', text: said }], structuredContent: { a: 1 } }
      : answerOf(wrong, 'tools/call');
    return { jsonrpc: '2.0', id, result };
  };

  const take = async (message: Message): Promise<void> => {
    const { id, method } = message;
    if (method === undefined) {
      const { result, error } = message;
      return replied?.(error === undefined ? `taken: ${JSON.stringify(result)}` : `refused: ${error.message}`);
    }
    if (id === undefined) return;
    if (method === 'tools/call') return send(await call(message));
    const result = answerOf(wrong, method);
    if (result === MISSING) return send({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
    send({ jsonrpc: '2.0', id, result });
  };

  for await (const text of incoming) if (typeof text === 'string') void take(JSON.parse(text) as Message);
}

/** A server in this process with one invalid value. */
export function wrongServer(wrong: Wrong): Target {
  return {
    open() {
      const [near, far] = memoryPair();
      void serve(
        (message) => {
          const text = JSON.stringify(message);
          // A value that is not a message is sent as invalid text.
          void Promise.resolve(far.send(text ?? 'undefined')).catch(() => {});
        },
        far.incoming,
        wrong,
      );
      return near;
    },
  };
}

/** Servers over HTTP with one invalid value each, by path. */
export async function wrongAddresses(
  wrongs: Readonly<Record<string, Wrong>>,
): Promise<AsyncDisposable & { readonly urls: Readonly<Record<string, string>> }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const wrong = wrongs[request.url!.slice(1)];
    if (wrong === undefined || request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method = '' } = JSON.parse(body) as Message;
    const result = answerOf(wrong, method);
    const answer = result === MISSING ? { error: { code: -32_601, message: 'Method not found' } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urls: Object.fromEntries(Object.keys(wrongs).map((name) => [name, `http://127.0.0.1:${port}/${name}`])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
