import type { ClientAuth } from 'tenon/auth';
import { ConnectionError } from 'tenon/client';
import { SseParser } from 'tenon/internal';
import { factsOf } from '../trace/facts.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';
import { type Fields, type ListedTool, messageFields } from './message-fields.ts';
import { createReach, type Wire } from './wire.ts';

/** A server at a URL. */
export interface HttpWireOptions {
  readonly url: string;
  readonly headers?: Fields;
  readonly auth?: ClientAuth;
  /** The negotiated revision, for the headers of a legacy session. */
  readonly revision: string | undefined;
  /** The tools that the server listed: some require mirrored headers. */
  readonly tools: readonly ListedTool[];
}

const MAX_LENGTH = 10 * 1024 * 1024;
const FAREWELL_MS = 1_000;
const ENDPOINT_MS = 5_000;
/** Statuses of the first POST with which a server shows that it only supports HTTP+SSE (2024-11-05). */
const OLDER: ReadonlySet<number> = new Set([400, 404, 405]);

function answerless(id: string, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":${JSON.stringify(message)}}}`;
}

/** Statuses that only concern authentication. */
const DENIED: ReadonlySet<number> = new Set([401, 403]);

/** Why a server cannot be used. */
function failureOf(error: Error): Error {
  if (error instanceof ConnectionError) return error;
  if (error.name === 'AuthError')
    return new ConnectionError('unauthorized', `The server requires authorization: ${error.message}`, {
      cause: error,
      status: 401,
    });
  return new ConnectionError('unreachable', `The server could not be reached: ${reasonOf(error)}`, { cause: error });
}

function refusalOf({ status, headers }: Response): Error {
  return new ConnectionError('http-status', `The server answered with HTTP status ${status}`, {
    status,
    challenge: headers.get('www-authenticate') ?? undefined,
  });
}

async function readStream(
  answer: Response,
  onText: (text: string) => void,
  onEndpoint?: (address: string) => void,
): Promise<void> {
  const parser = new SseParser(
    ({ kind, event, data }) => {
      if (event === 'endpoint') onEndpoint?.(data);
      else if (kind === 'message') onText(data);
    },
    { maxBytes: MAX_LENGTH },
  );
  for await (const chunk of answer.body ?? []) parser.push(chunk as Uint8Array);
}

/** The URL that a server names, if it is on the same origin. */
function endpointOf(address: string, url: string): string {
  const endpoint = new URL(address, url);
  if (endpoint.origin !== new URL(url).origin) throw new Error('The server names an endpoint of another origin');
  return endpoint.href;
}

/**
 * Sends messages to a server over Streamable HTTP, or over HTTP+SSE if it supports nothing else: each text unchanged, in a POST
 * of its own.
 */
export class HttpWire implements Wire {
  readonly ended: Promise<Error>;
  readonly #options: HttpWireOptions;
  readonly #stop = new AbortController();
  readonly #ask: HttpAsk;
  readonly #fieldsOf: (text: string) => Fields;
  readonly #reach = createReach();
  readonly #finish: (reason: Error) => void;
  #listener: (text: string) => void = () => {};
  #session: string | undefined;
  /** The URL for messages, with HTTP+SSE. */
  #endpoint: string | undefined;
  #begun = false;
  /** Whether any answer has arrived, with any status. */
  #answered = false;

  constructor(options: HttpWireOptions) {
    const { url, headers = {}, auth, revision, tools } = options;
    this.#options = options;
    this.#ask = httpAsk(url, headers, auth, this.#stop.signal);
    this.#fieldsOf = messageFields(revision, tools);
    let finish!: (reason: Error) => void;
    this.ended = new Promise((resolve) => (finish = resolve));
    this.#finish = finish;
  }

  onText(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  unreached(): Error | undefined {
    return this.#reach.why();
  }

  async send(text: string): Promise<void> {
    const { message, id } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    const sent = this.#post(text);
    if (message !== 'request') return sent;
    // An answer may take any time; the next message does not wait for it.
    sent.catch((error: Error) => {
      if (this.#stop.signal.aborted) return;
      const failure = failureOf(error);
      this.#hearNone(id!, `The request failed: ${reasonOf(error)}`, failure);
      if (!this.#answered) this.#finish(failure);
    });
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#session !== undefined && this.#endpoint === undefined && !this.#stop.signal.aborted) {
      const late = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref());
      await Promise.race([this.#leave().catch(() => {}), late]);
    }
    this.#stop.abort();
    this.#finish(new ConnectionError('closed', 'The connection is closed'));
  }

  #hear(text: string): void {
    this.#reach.heard(text);
    this.#listener(text);
  }

  /** Reports an error in place of a missing answer. */
  #hearNone(id: string, message: string, error: Error): void {
    this.#reach.failed(error);
    this.#listener(answerless(id, message));
  }

  #sessionFields(): Fields {
    const { revision } = this.#options;
    return withoutUndefined({ 'mcp-session-id': this.#session, 'mcp-protocol-version': revision });
  }

  async #read(answer: Response): Promise<void> {
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return readStream(answer, (text) => this.#hear(text));
    const text = await answer.text();
    if (text.trim() === '') return undefined;
    if (DENIED.has(answer.status)) this.#listener(text);
    else this.#hear(text);
    return undefined;
  }

  /** Opens the stream for messages that belong to no request. */
  async #listen(): Promise<void> {
    const { url } = this.#options;
    const answer = await this.#ask(url, 'GET', { accept: 'text/event-stream', ...this.#sessionFields() });
    if (answer.ok) await this.#read(answer);
    else await answer.body?.cancel();
  }

  /** Opens the HTTP+SSE stream, and waits for its URL for messages. */
  async #openOlder(): Promise<string> {
    const { url } = this.#options;
    const answer = await this.#ask(url, 'GET', { accept: 'text/event-stream' });
    if (!answer.ok) throw refusalOf(answer);
    let named!: (address: string) => void;
    const naming = new Promise<string>((resolve) => (named = resolve));
    readStream(answer, (text) => this.#hear(text), named).then(
      () => this.#finish(new ConnectionError('disconnected', 'The server ended the stream')),
      (error: Error) => this.#finish(error),
    );
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('The server names no endpoint')), ENDPOINT_MS).unref();
    });
    return endpointOf(await Promise.race([naming, late]), url);
  }

  async #post(text: string): Promise<void> {
    const { url } = this.#options;
    const { message, id, method } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
    const own = withoutUndefined({ 'mcp-session-id': this.#session });
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const first = !this.#begun;
    this.#begun = true;
    const answer = await this.#ask(this.#endpoint ?? url, 'POST', { ...types, ...own, ...this.#fieldsOf(text) }, text);
    this.#answered = true;
    this.#session = answer.headers.get('mcp-session-id') ?? this.#session;
    if (first && method === 'initialize' && OLDER.has(answer.status)) {
      await answer.body?.cancel();
      this.#endpoint = await this.#openOlder();
      return this.#post(text);
    }
    if (method === 'notifications/initialized' && answer.ok && this.#endpoint === undefined)
      void this.#listen().catch(() => {});
    const reading = this.#read(answer).catch((error: Error) => {
      if (message === 'request' && !this.#stop.signal.aborted)
        this.#hearNone(id!, `The answer broke off: ${error.message}`, failureOf(error));
    });
    if (message !== 'request') return reading;
    // A rejection may come without a message.
    if (!answer.ok)
      void reading.then(() => {
        const refusal = refusalOf(answer);
        this.#hearNone(id!, refusal.message, refusal);
      });
    return undefined;
  }

  async #leave(): Promise<void> {
    const { url } = this.#options;
    const answer = await this.#ask(url, 'DELETE', this.#sessionFields());
    await answer.body?.cancel();
  }
}

/** Sends one request over HTTP. */
type HttpAsk = (target: string, method: string, fields: Fields, body?: string) => Promise<Response>;

const MAX_REFUSALS = 3;

/** Sends requests with additional headers and, if the server requires it, with credentials. Follows no redirects. */
function httpAsk(server: string, headers: Fields, auth: ClientAuth | undefined, signal: AbortSignal): HttpAsk {
  return async (target, method, fields, body) => {
    for (let attempt = 0; ; attempt++) {
      const sent = (await auth?.credentials({ server, method, url: target })) ?? {};
      const init: RequestInit = {
        method,
        headers: { ...fields, ...headers, ...sent },
        redirect: 'error',
        signal,
        body,
      };
      const answer = await fetch(target, init);
      const { status } = answer;
      const header = (name: string): string | undefined => answer.headers.get(name) ?? undefined;
      const challenge = header('www-authenticate');
      const asks = status === 401 || (status === 403 && challenge !== undefined);
      if (auth === undefined || !asks || attempt >= MAX_REFUSALS) return answer;
      if (!(await auth.challenged({ status, challenge, server, method, url: target, sent, attempt, header })))
        return answer;
      await answer.body?.cancel();
    }
  };
}

/** The real reason of a failed `fetch`. */
function reasonOf(error: Error): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? error.message;
}
