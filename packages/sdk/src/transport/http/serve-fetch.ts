import { checkOptions } from '../../protocol/known-options.ts';
import { type MessageText, wholeText } from '../../protocol/message-text.ts';
import type { Server } from '../../server/define.ts';
import { findJoined } from '../../wire/headers.ts';
import { createHttpHandler } from './handler.ts';
import {
  bodyText,
  type Headers as Fields,
  type HttpReply,
  type HttpRequest,
  TOO_LARGE,
  type UnreadableBody,
} from './http-message.ts';
import { HTTP_OPTIONS, type HttpOptions } from './options.ts';

/** A server behind the `fetch` interface of the web: Workers, Deno, Bun, Hono, Next. */
export interface FetchHandler {
  /** Answers a request. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends everything that is open: streams, sessions, running calls. */
  close(): Promise<void>;
}

/**
 * Serves a server in any runtime with web `Request` and `Response` objects. Only requests to loopback names are accepted unless
 * `allowedHosts` is given; the caller decides which paths are routed to it. Throws a `TypeError` for an entry of `allowedHosts` or
 * `allowedOrigins` that cannot match.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { serveFetch } from 'tenon/http';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * export default serveFetch(app, { allowedHosts: ['mcp.example.com'] });
 * ```
 */
export function serveFetch(app: Server, options: HttpOptions = {}): FetchHandler {
  checkOptions(options, HTTP_OPTIONS);
  const handler = createHttpHandler(app, options);
  return {
    fetch: (request) =>
      new Promise((resolve) => handler.handle(new WebRequest(request), new WebReply(resolve, request.signal))),
    close: async () => {
      await handler.drain(options.drainMs ?? DRAIN_MS);
      handler.close();
    },
  };
}

/** How long running calls may continue, in milliseconds. */
const DRAIN_MS = 10_000;

class WebRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly #request: Request;
  readonly #url: URL;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.method = request.method.toUpperCase();
    this.path = this.#url.pathname;
  }

  /** Some runtimes hide the header; the URL contains its value. */
  get host(): string {
    return this.#request.headers.get('host') ?? this.#url.host;
  }

  readonly header = (name: string): string | null => this.#request.headers.get(name);

  get repeated(): string | undefined {
    return findJoined(this.header);
  }

  fields(): Headers {
    return this.#request.headers;
  }

  get search(): string {
    return this.#url.search.slice(1);
  }

  query(name: string): string | undefined {
    return this.#url.searchParams.get(name) ?? undefined;
  }

  body(most: number, take: (body: string | UnreadableBody) => void): void {
    void this.#read(most).then(take, () => {
      // The sender disconnected in the middle: no response is possible.
    });
  }

  async #read(most: number): Promise<string | UnreadableBody> {
    const { body } = this.#request;
    if (body === null) return '';
    const reader = body.getReader();
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bodyText(pieces);
      length += value.byteLength;
      if (length > most) {
        await reader.cancel().catch(() => {});
        return TOO_LARGE;
      }
      pieces.push(value);
    }
  }
}

const NO_BODY: ReadonlySet<number> = new Set([204, 304]);

class WebReply implements HttpReply {
  closed = false;
  unsent = 0;
  readonly #resolve: (response: Response) => void;
  readonly #listeners: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The sizes of chunks that were enqueued and not read yet. */
  #room: (() => void) | undefined;
  #waiting: Promise<void> | undefined;

  constructor(resolve: (response: Response) => void, signal: AbortSignal | undefined) {
    this.#resolve = resolve;
    signal?.addEventListener('abort', () => this.#gone(), { once: true });
  }

  send(status: number, headers: Fields, body?: MessageText): void {
    if (this.closed) return;
    const text = NO_BODY.has(status) || body === undefined ? null : wholeText(body);
    this.closed = true;
    this.#resolve(new Response(text, { status, headers }));
  }

  stream(headers: Fields): void {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#taken(),
        cancel: () => this.#gone(),
      },
      { highWaterMark: HIGH_WATER, size: (chunk) => chunk.byteLength },
    );
    this.#resolve(new Response(stream, { status: 200, headers }));
  }

  write(text: string): void | Promise<void> {
    const controller = this.#controller;
    if (this.closed || controller === undefined) return undefined;
    controller.enqueue(ENCODER.encode(text));
    const room = controller.desiredSize ?? 0;
    this.unsent = Math.max(0, HIGH_WATER - room);
    if (room > 0) return undefined;
    return (this.#waiting ??= new Promise((resolve) => (this.#room = resolve)));
  }

  end(): void {
    if (this.closed) return;
    this.closed = true;
    this.#free();
    this.#controller?.close();
  }

  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    this.#free();
    if (this.#controller === undefined) this.#resolve(new Response(null, { status: 503 }));
    else this.#controller.error(new Error('The connection was broken off'));
  }

  onGone(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #gone(): void {
    if (this.closed) return;
    this.closed = true;
    this.#free();
    for (const listener of this.#listeners) listener();
  }

  #taken(): void {
    this.unsent = Math.max(0, HIGH_WATER - (this.#controller?.desiredSize ?? HIGH_WATER));
    this.#free();
  }

  #free(): void {
    this.#room?.();
    this.#room = this.#waiting = undefined;
  }
}

/** The number of bytes that may wait before writers are asked to wait. */
const HIGH_WATER = 64 * 1024;
const ENCODER = new TextEncoder();
