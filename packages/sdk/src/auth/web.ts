import { reachFor } from '#auth';
import { AuthError, type AuthStep } from '../protocol/auth-error.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { shown } from '../protocol/text.ts';
import { createUrlGuard, type UrlGuard } from './guard.ts';

/** How this room reaches the web: guarded, bounded, and without following anybody elsewhere. */
export interface Web {
  readonly guard: UrlGuard;
  /** `fetch` with these bounds, for libraries. */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** The same for addresses that the program names itself, and trusts. */
  trusting(address: string): Web;
  /** A JSON document that is exactly at an address and nowhere else, and how long it may be kept, in milliseconds. Rejects for anything else. */
  document(url: string): Promise<{ readonly value: JsonObject; readonly freshMs: number | undefined }>;
  /** The JSON object at an address; undefined where there is none (4xx). */
  json(url: string, what: string, headers?: Readonly<Record<string, string>>): Promise<JsonObject | undefined>;
}

/** Documents about servers and clients are small. */
const MOST_BYTES = 1024 * 1024;
const MOST_MS = 10_000;
const MOST_REDIRECTS = 3;
/** One about a client, which anybody may have written. */
const MOST_OF_CLIENT = 16 * 1024;

/** The body of a response, or an error when it is larger than allowed. */
const bounded = async (response: Response): Promise<Response> => {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MOST_BYTES) {
      await reader.cancel().catch(() => {});
      throw new Error(`The answer is larger than ${MOST_BYTES} bytes`);
    }
    chunks.push(value);
  }
  const { status, statusText, headers } = response;
  const body = [204, 205, 304].includes(status) ? null : new Blob(chunks);
  return new Response(body, { status, statusText, headers });
};

/** `given`: reaches the web instead, where the program wants that; then what names stand for is its business. */
export const createWeb = (
  guard: UrlGuard,
  given: typeof globalThis.fetch | undefined,
  step: AuthStep = 'discovery',
): Web => {
  const fetch = given ?? reachFor(guard);
  const reach = async (
    input: string | URL,
    init: RequestInit = {},
    mostRedirects = MOST_REDIRECTS,
  ): Promise<Response> => {
    let url = guard.check(String(input), 'The address', step);
    for (let redirects = 0; ; redirects++) {
      const signals = [AbortSignal.timeout(MOST_MS), ...(init.signal == null ? [] : [init.signal])];
      const response = await fetch(url.href, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) return bounded(response);
      await response.body?.cancel();
      const next = guard.check(new URL(location, url).href, 'The address it sends on to', step);
      if (next.origin !== url.origin || (init.method ?? 'GET') !== 'GET' || redirects >= mostRedirects)
        throw new AuthError(step, `${url.origin} sends on to ${next.origin}, which is not followed`);
      url = next;
    }
  };
  return {
    guard,
    fetch: (input, init) => reach(input, init),
    trusting: (address) => createWeb(createUrlGuard(new URL(address), true), given, step),
    async document(url) {
      const response = await reach(url, { headers: { accept: 'application/json' } }, 0);
      const type = response.headers.get('content-type') ?? '';
      const text = await response.text();
      if (response.status !== 200 || !/^application\/(?:[\w.-]+\+)?json\b/i.test(type) || text.length > MOST_OF_CLIENT)
        throw new AuthError(step, `There is no document at ${new URL(url).origin}, or it is too large`);
      const value: unknown = JSON.parse(text);
      if (!isObject(value)) throw new AuthError(step, 'The document is no JSON object');
      const cache = response.headers.get('cache-control') ?? '';
      const [, seconds] = /\bmax-age=(\d{1,9})/i.exec(cache) ?? [];
      const freshMs = /\bno-(?:store|cache)\b/i.test(cache)
        ? 0
        : seconds === undefined
          ? undefined
          : Number(seconds) * 1_000;
      return { value, freshMs };
    },
    async json(url, what, headers = {}) {
      let response: Response;
      try {
        response = await reach(url, { headers: { accept: 'application/json', ...headers } });
      } catch (error) {
        if (error instanceof AuthError) throw error;
        throw new AuthError(step, `${what} could not be read: ${shown((error as Error).message, 200)}`, {
          cause: error,
        });
      }
      if (response.status >= 400 && response.status < 500) return undefined;
      if (response.status !== 200)
        throw new AuthError(
          step,
          `${what} could not be read: ${new URL(url).origin} answered with status ${response.status}`,
        );
      const value: unknown = await response.json().catch(() => undefined);
      if (!isObject(value)) throw new AuthError(step, `${what} is no JSON object`);
      return value;
    },
  };
};
