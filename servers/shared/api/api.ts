// Requests to the web API of one service: limits, retries, waiting, cache, cancellation and the token, in one place. A client library gets
// it as its `fetch`; without a library, `json` is enough.
import type { CallContext } from 'tenon';
import { ApiError, describeRefusal } from './api-error.ts';
import { type ApiClock, systemClock } from './clock.ts';
import { exchange, type OutgoingRequest } from './exchange.ts';
import { doubling, Pauses, waitByStatus, type WaitRule } from './rate-limits.ts';
import { ReplyCache, type WholeReply } from './reply-cache.ts';
import { addBearer, type ApiToken } from './token.ts';

export interface ApiLimits {
  /** Maximum size of an answer, uncompressed. Default: 10 MiB. */
  readonly maxBytes: number;
  /** Maximum duration of one request. Default: 30 seconds. */
  readonly timeoutMs: number;
  /** How long one request may wait for limits of the service. Default: 5 minutes. */
  readonly maxWaitMs: number;
  /** How often a request that only reads is sent again after a failure. Default: 2. */
  readonly retries: number;
}

const LIMITS: ApiLimits = { maxBytes: 10 * 1024 * 1024, timeoutMs: 30_000, maxWaitMs: 300_000, retries: 2 };

export interface ApiOptions {
  /** The name of the service in messages. */
  readonly service: string;
  /** The address that paths are relative to. No other origin is ever sent a request. */
  readonly url: string | URL;
  readonly token?: ApiToken;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ApiLimits>;
  /** Recognizes refusals because of a limit. Default: 429, and 503 with Retry-After. */
  readonly waitFor?: WaitRule;
  /** Which limit applies to a request, if the service has several. Default: one for all. */
  readonly limitOf?: (url: URL) => string;
  /** What the service says about a refusal in its headers, as a sentence. */
  readonly noteOn?: (headers: Headers, status: number) => string | undefined;
  readonly clock?: ApiClock;
}

export interface JsonRequest {
  /** Default: GET. */
  readonly method?: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The requests of one call of a tool or resource. */
export interface ApiCall {
  /** A `fetch` for client libraries. It rejects with an `ApiError` if the answer is not a success. */
  readonly fetch: typeof fetch;
  /** Requests JSON. The path is relative to the address of the service. */
  json(path: string, request?: JsonRequest): Promise<unknown>;
  /** Tells the user what the call does at the moment. */
  report(message: string): Promise<void>;
}

/** What a call needs of its context. Without `progress`, nothing is reported. */
export type ApiContext = Pick<CallContext, 'signal'> & Partial<Pick<CallContext, 'progress'>>;

/** Gives the requests of a call. */
export type Api = (ctx: ApiContext) => ApiCall;

/** A request without an answer. */
class LostRequest extends ApiError {}

/** Statuses of a failure that may be over soon. */
const TEMPORARY = new Set([500, 502, 503, 504]);

/** Parses an answer as JSON. */
export function parseJson(text: string, service: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError(`${service} answered something that is not JSON. Check its address, or try again later.`);
  }
}

async function outgoing(input: Parameters<typeof fetch>[0], init: RequestInit | undefined, all: ApiOptions['headers']) {
  const request = new Request(input, init);
  for (const [name, value] of Object.entries(all ?? {}))
    if (!request.headers.has(name)) request.headers.set(name, value);
  // Read once, because a body that was sent cannot be sent again.
  const body = new Uint8Array(await request.arrayBuffer());
  const { method, headers, signal } = request;
  return { method, headers, signal, url: new URL(request.url), body: body.length === 0 ? undefined : body };
}

/** Makes the requests to a service. */
export function createApi(options: ApiOptions): Api {
  const { service, token, waitFor = waitByStatus, limitOf = () => '', clock = systemClock } = options;
  const limits = { ...LIMITS, ...options.limits };
  const base = new URL(String(options.url).replace(/\/*$/, '/'));
  const pauses = new Pauses(clock);
  const cache = new ReplyCache();

  const whatOf = ({ method, url }: OutgoingRequest): string => `${method} ${url.pathname}`;
  const refuse = (request: OutgoingRequest, { status, headers, bytes }: WholeReply): never => {
    const notes = [
      options.noteOn?.(headers, status),
      token !== undefined && token.value === undefined && [401, 403, 404, 429].includes(status)
        ? token.help
        : undefined,
    ];
    const body = Buffer.from(bytes).toString();
    throw new ApiError(describeRefusal({ service, what: whatOf(request), status, body, notes }), status);
  };
  const check = (request: OutgoingRequest, isRead: boolean): void => {
    if (request.url.origin !== base.origin)
      throw new Error(`A request to ${request.url.origin}, which is not ${service}`);
    if (token !== undefined && token.value === undefined && !(isRead && token.isOptionalToRead === true))
      throw new ApiError(`${whatOf(request)} needs a token. ${token.help}`, 401);
  };

  /** Sends a request once. A failure without an answer is an `ApiError` without status. */
  const attempt = async (request: OutgoingRequest, signal: AbortSignal, isRead: boolean): Promise<WholeReply> => {
    const limit = AbortSignal.timeout(limits.timeoutMs);
    const authorize = (to: Parameters<typeof addBearer>[1]): void => {
      if (token?.value !== undefined) (token.add ?? addBearer)(token.value, to);
    };
    const either = AbortSignal.any([signal, limit]);
    try {
      return await exchange(request, { ...limits, service, signal: either, token: token?.value, authorize });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      const reason = limit.aborted
        ? `no answer within ${limits.timeoutMs / 1_000} seconds`
        : 'no connection, or it was lost';
      const mayHaveRun = isRead ? 'Try again later.' : 'The change may have been made: look before you repeat it.';
      throw new LostRequest(`${whatOf(request)}: ${service} could not be reached (${reason}). ${mayHaveRun}`);
    }
  };

  /** Sends a request, waits for limits, and repeats it if that is harmless. Gives a success. */
  const send = async (request: OutgoingRequest, signal: AbortSignal, call: ApiCall): Promise<WholeReply> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    check(request, isRead);
    const key = `${request.url.href} ${request.headers.get('accept')}`;
    const kept = request.method === 'GET' ? cache.get(key) : undefined;
    if (kept !== undefined) request.headers.set('if-none-match', kept.headers.get('etag')!);
    const limit = limitOf(request.url);
    const deadline = clock.now() + limits.maxWaitMs;
    for (let refused = 0, failed = 0; ;) {
      const rest = pauses.rest(limit);
      if (clock.now() + rest > deadline)
        throw new ApiError(
          `${service} limits requests, and accepts the next one at ${new Date(clock.now() + rest).toISOString()}. Wait until then.`,
          429,
        );
      await pauses.wait(limit, signal, (seconds) => call.report(`${service} limits requests: waiting ${seconds} s`));
      const reply = await attempt(request, signal, isRead).catch((error: unknown) => {
        if (error instanceof LostRequest && isRead && failed < limits.retries) return undefined;
        throw error;
      });
      if (reply !== undefined) {
        if (reply.status === 304 && kept !== undefined) return kept;
        if (reply.status >= 200 && reply.status < 300) {
          if (request.method === 'GET') cache.put(key, reply);
          return reply;
        }
        const { status, headers, bytes } = reply;
        const wait = waitFor({
          status,
          headers,
          body: Buffer.from(bytes).toString(),
          attempt: refused,
          now: clock.now(),
        });
        if (wait !== undefined) {
          refused++;
          pauses.add(limit, wait);
          continue;
        }
        if (!(isRead && TEMPORARY.has(status) && failed < limits.retries)) refuse(request, reply);
      }
      await call.report(`${service} has a problem: trying again`);
      await clock.sleep(doubling(1_000, failed++), signal);
    }
  };

  return (ctx) => {
    let reports = 0;
    const call: ApiCall = {
      async fetch(input, init) {
        const request = await outgoing(input, init, options.headers);
        const signal = AbortSignal.any([ctx.signal, request.signal]);
        const { status, headers, bytes } = await send(request, signal, call);
        return new Response(status === 204 || status === 205 ? null : bytes, { status, headers });
      },
      async json(path, { method = 'GET', query = {}, body } = {}) {
        const url = new URL(path.replace(/^\/+/, ''), base);
        for (const [name, value] of Object.entries(query))
          if (value !== undefined) url.searchParams.set(name, String(value));
        const headers = new Headers({ accept: 'application/json' });
        if (body !== undefined) headers.set('content-type', 'application/json');
        const response = await call.fetch(url, {
          method,
          headers,
          body: body === undefined ? null : JSON.stringify(body),
        });
        return response.status === 204 ? undefined : parseJson(await response.text(), service);
      },
      async report(message) {
        await ctx.progress?.({ progress: ++reports, message });
      },
    };
    return call;
  };
}
