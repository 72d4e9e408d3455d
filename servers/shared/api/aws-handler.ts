// Requests of the AWS SDK, sent as all other requests here: with limits, waits, cancellation, and only to the origin that the SDK has chosen
// first. Give the client `maxAttempts: 1`, because failures are repeated here.
import { type Api, type ApiContext, createApi } from './api.ts';
import type { ApiOptions } from './api-options.ts';

/** A signed request of the SDK. */
export interface AwsRequest {
  readonly method: string;
  /** With the colon. */
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  /** Percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface AwsResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** What is given to `send` with a command. */
export interface AwsSendOptions {
  /** The call that the command is sent for. */
  readonly call?: ApiContext;
  readonly abortSignal?: unknown;
}

/** The `requestHandler` of a client. */
export interface AwsHandler {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: AwsRequest, options?: AwsSendOptions): Promise<{ readonly response: AwsResponse }>;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
  destroy(): void;
}

/** Percent-encodes everything but unreserved characters (RFC 3986), as the SDK signs it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function urlOf({ protocol, hostname, port, path, query = {} }: AwsRequest): URL {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => `${encoded(name)}=${encoded(one)}`),
  );
  const search = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`);
}

/** They are those of the connection, and `fetch` sets them to what was signed. */
const OF_CONNECTION = new Set(['host', 'content-length', 'connection']);

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> | null {
  if (body === undefined || body === null || body === '') return null;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  throw new TypeError('Only texts and bytes can be sent');
}

/** Makes the `requestHandler` of a client of an AWS service. It rejects with an `ApiError` if AWS refuses a request. */
export function createAwsHandler(options: Omit<ApiOptions, 'url'>): AwsHandler {
  let chosen: { readonly origin: string; readonly api: Api } | undefined;
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, { abortSignal, call } = {}) {
      if (call === undefined) throw new TypeError('A command is sent with the call that it is for');
      const url = urlOf(request);
      // Requests to another origin are refused by the API.
      chosen ??= { origin: url.origin, api: createApi({ ...options, url: url.origin }) };
      const headers = Object.entries(request.headers).filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()));
      const response = await chosen.api(call).fetch(url, {
        method: request.method,
        headers: Object.fromEntries(headers),
        body: bodyOf(request.body),
        signal: abortSignal instanceof AbortSignal ? abortSignal : null,
      });
      return {
        response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: response.body },
      };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    destroy() {},
  };
}
