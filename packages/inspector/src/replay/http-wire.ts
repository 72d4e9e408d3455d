import type { ClientAuth } from 'tenon/auth';
import type { Revision } from 'tenon/client';
import { createSseParser, mirroredParams, type MirroredParam, paramHeaders, standardHeaders } from 'tenon/http';
import { factsOf } from '../trace/facts.ts';
import { claimIn } from './conversation.ts';
import type { Wire } from './wire.ts';

/** A server at a URL. */
export interface HttpWireOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: ClientAuth;
  /** The revision that was agreed on, for the headers of a legacy session. */
  readonly revision: string | undefined;
  /** The tools that the server listed: some want arguments repeated in headers. */
  readonly tools: readonly { readonly name?: unknown; readonly inputSchema?: unknown }[];
}

type Fields = Record<string, string>;

const MOST_REFUSALS = 3;
const LONGEST = 10 * 1024 * 1024;
const FAREWELL_MS = 1_000;
const ENDPOINT_MS = 5_000;
/** Answers to the first POST by which a server says that it speaks HTTP with SSE (2024-11-05) only. */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405]);

const answerless = (id: string, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${JSON.stringify(message)}}}`;

/** Which arguments of which tool are repeated in headers. */
const mirrorsOf = (tools: HttpWireOptions['tools']): ReadonlyMap<unknown, readonly MirroredParam[]> =>
  new Map(
    tools.flatMap(({ name, inputSchema }) => {
      if (typeof inputSchema !== 'object' || inputSchema === null) return [];
      const found = mirroredParams(inputSchema as Parameters<typeof mirroredParams>[0]);
      return 'problem' in found || found.length === 0 ? [] : [[name, found]];
    }),
  );

/** Speaks with a server over Streamable HTTP, or over HTTP with SSE where it knows nothing else: texts as they are, each in a POST. */
export const httpWire = ({ url, headers = {}, auth, revision, tools }: HttpWireOptions): Wire => {
  const stop = new AbortController();
  const mirrors = mirrorsOf(tools);
  let listener: (text: string) => void = () => {};
  let finish!: (reason: string) => void;
  const ended = new Promise<string>((resolve) => (finish = resolve));
  let session: string | undefined;
  /** Where messages go; another address where the server named one. */
  let target = url;
  let older = false;
  let begun = false;

  const fieldsOf = (text: string): Fields => {
    const own: Fields = session === undefined ? {} : { 'mcp-session-id': session };
    const { message } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    // What is no message is sent as it is, too.
    return message === 'invalid' || message === 'batch' ? own : { ...own, ...headersOf(text) };
  };

  const headersOf = (text: string): Fields => {
    const claimed = claimIn(text);
    const message = JSON.parse(text) as Parameters<typeof standardHeaders>[0] & object;
    const own = (claimed ?? revision) as Revision | undefined;
    const fields: Fields = own === undefined ? {} : { ...standardHeaders(message, own) };
    const { name, arguments: args } = (message.params ?? {}) as { name?: unknown; arguments?: never };
    const mirrored = claimed === undefined || message.method !== 'tools/call' ? undefined : mirrors.get(name);
    return mirrored === undefined ? fields : { ...fields, ...paramHeaders(mirrored, args) };
  };

  const ask = async (method: string, fields: Fields, body?: string): Promise<Response> => {
    for (let attempt = 0; ; attempt++) {
      const credentials = (await auth?.credentials({ server: url, method, url: target })) ?? {};
      const answer = await fetch(target, {
        method,
        headers: { ...fields, ...headers, ...credentials },
        redirect: 'error',
        signal: stop.signal,
        ...(body === undefined ? {} : { body }),
      });
      const { status } = answer;
      const header = (name: string): string | undefined => answer.headers.get(name) ?? undefined;
      const challenge = header('www-authenticate');
      const asks = status === 401 || (status === 403 && challenge !== undefined);
      if (auth === undefined || !asks || attempt >= MOST_REFUSALS) return answer;
      const refusal = { status, challenge, server: url, method, url: target, sent: credentials, attempt, header };
      if (!(await auth.refused(refusal))) return answer;
      await answer.body?.cancel();
    }
  };

  const readStream = async (answer: Response, onEndpoint?: (address: string) => void): Promise<void> => {
    const parser = createSseParser(
      ({ kind, event, data }) => {
        if (event === 'endpoint') onEndpoint?.(data);
        else if (kind === 'message') listener(data);
      },
      { maxBytes: LONGEST },
    );
    for await (const chunk of answer.body ?? []) parser.push(chunk as Uint8Array);
  };

  const read = async (answer: Response): Promise<void> => {
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) return readStream(answer);
    const text = await answer.text();
    if (text.trim() !== '') listener(text);
    return undefined;
  };

  /** Opens the stream for what belongs to no request. */
  const listen = async (): Promise<void> => {
    const fields: Fields = {
      accept: 'text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    };
    if (revision !== undefined) fields['mcp-protocol-version'] = revision;
    const answer = await ask('GET', fields);
    if (answer.ok) await read(answer);
    else await answer.body?.cancel();
  };

  /** Opens the stream of HTTP with SSE, and waits until it says where messages go. */
  const openOlder = async (): Promise<void> => {
    const answer = await ask('GET', { accept: 'text/event-stream' });
    if (!answer.ok) throw new Error(`The server answered with HTTP status ${answer.status}`);
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error('The server names no endpoint')), ENDPOINT_MS);
      const named = (address: string): void => {
        const endpoint = new URL(address, url);
        clearTimeout(limit);
        if (endpoint.origin !== new URL(url).origin)
          return reject(new Error('The server names an endpoint of another origin'));
        target = endpoint.href;
        older = true;
        return resolve();
      };
      readStream(answer, named).then(
        () => finish('The server ended the stream'),
        (error: Error) => finish(error.message),
      );
    });
  };

  const post = async (text: string): Promise<void> => {
    const { message, id, method } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    const fields = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...fieldsOf(text),
    };
    const first = !begun;
    begun = true;
    const answer = await ask('POST', fields, text);
    session = answer.headers.get('mcp-session-id') ?? session;
    if (first && method === 'initialize' && OLDER.has(answer.status)) {
      await answer.body?.cancel();
      await openOlder();
      return post(text);
    }
    if (method === 'notifications/initialized' && answer.ok && !older) void listen().catch(() => {});
    const reading = read(answer).catch((error: Error) => {
      if (message === 'request' && !stop.signal.aborted)
        listener(answerless(id!, `The answer broke off: ${error.message}`));
    });
    if (message !== 'request') return reading;
    // What is refused may say so without a message.
    if (!answer.ok)
      void reading.then(() => listener(answerless(id!, `The server answered with HTTP status ${answer.status}`)));
    return undefined;
  };

  return {
    ended,
    onText: (own) => (listener = own),
    async send(text) {
      const { message, id } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
      const sent = post(text);
      if (message !== 'request') return sent;
      // An answer may take as long as it likes; the next message does not wait for it.
      sent.catch((error: Error) => {
        if (!stop.signal.aborted) listener(answerless(id!, `The request failed: ${reasonOf(error)}`));
      });
      return undefined;
    },
    async close() {
      if (session !== undefined && !older)
        await Promise.race([
          ask('DELETE', {
            'mcp-session-id': session,
            ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
          }).then(
            (answer) => answer.body?.cancel(),
            () => {},
          ),
          new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref()),
        ]);
      stop.abort();
      finish('The connection is closed');
    },
  };
};

/** What a failure of `fetch` is really about. */
const reasonOf = (error: Error): string => {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
};
