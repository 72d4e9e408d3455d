// Requests to the web API of one service: limits, retries, waiting, cache, cancellation and the token, in one place. A client library gets
// it as its `fetch`; without a library, `json` is enough.
import type { CallContext } from 'tenon';
import { ApiError, MAY_BE_CHANGED } from './api-error.ts';
import type { ApiOptions } from './api-options.ts';
import { isRead } from './exchange.ts';
import { markAfterChange } from './pick.ts';
import { baseOf, createSender } from './sender.ts';

type QueryValue = string | number | boolean;

export interface JsonRequest {
  /** Default: GET. */
  readonly method?: string;
  /** Undefined values are left out, and lists are repeated. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The requests of one call of a tool or resource. */
export interface ApiCall {
  /** A `fetch` for client libraries. It rejects with an `ApiError` if the answer is not a success. */
  readonly fetch: typeof fetch;
  /** Sends a request and gives the answer. The path is relative to the address of the service. */
  send(path: string, request?: JsonRequest): Promise<Response>;
  /** Sends a request and gives the answer's JSON. */
  json(path: string, request?: JsonRequest): Promise<unknown>;
  /** Tells the user what the call does at the moment. */
  report(message: string): Promise<void>;
}

/** What a call needs of its context. Without `progress`, nothing is reported. */
export type ApiContext = Pick<CallContext, 'signal'> & Partial<Pick<CallContext, 'progress'>>;

/** Gives the requests of a call. */
export type Api = (ctx: ApiContext) => ApiCall;

/** Parses the answer to a request with this method as JSON. */
export function parseJson(text: string, service: string, method = 'GET'): unknown {
  const isChange = !isRead({ method });
  try {
    const value: unknown = JSON.parse(text);
    if (isChange) markAfterChange(value);
    return value;
  } catch {
    const advice = isChange ? MAY_BE_CHANGED : 'Check its address, or try again later.';
    throw new ApiError(`${service} answered something that is not JSON. ${advice}`);
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

/** How many reports a call has sent: progress has to increase over all of its requests. */
const reports = new WeakMap<object, number>();

/** Makes the requests to a service. */
export function createApi(options: ApiOptions): Api {
  const { service } = options;
  const base = baseOf(options);
  const send = createSender(options);
  return (ctx) => {
    const report = async (message: string): Promise<void> => {
      const progress = (reports.get(ctx) ?? 0) + 1;
      reports.set(ctx, progress);
      await ctx.progress?.({ progress, message });
    };
    const call: ApiCall = {
      async fetch(input, init) {
        const request = await outgoing(input, init, options.headers);
        const signal = AbortSignal.any([ctx.signal, request.signal]);
        const { status, headers, bytes } = await send(request, { signal, report });
        return new Response(status === 204 || status === 205 ? null : bytes, { status, headers });
      },
      async send(path, { method = 'GET', query = {}, body } = {}) {
        const url = new URL(path.replace(/^\/+/, ''), base);
        for (const [name, value] of Object.entries(query))
          for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
        const headers = new Headers({ accept: 'application/json' });
        if (body !== undefined) headers.set('content-type', 'application/json');
        return call.fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      },
      async json(path, request) {
        const response = await call.send(path, request);
        return response.status === 204 ? undefined : parseJson(await response.text(), service, request?.method);
      },
      report,
    };
    return call;
  };
}
