import { guardedFetch } from '#auth';
import { AuthError, type AuthStep } from '../protocol/auth-error.ts';
import { reasonOf } from '../protocol/text.ts';
import { sourceOf } from './documents/read-answer.ts';
import { type JsonDocument, type MediaTypes, readDocument } from './documents/read-document.ts';
import { createUrlGuard, type UrlGuard } from './url-guard.ts';

/** HTTP requests of authorization: with a guard for URLs, limits of size and time, and redirects only within the same origin. */
export interface Web {
  readonly guard: UrlGuard;
  /** `fetch` with these limits, for libraries. */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** The same for URLs that come from the program itself. */
  trusting(address: string): Web;
  /**
   * Fetches a client ID metadata document without following redirects. `freshMs`: how long it may be cached, in milliseconds. Rejects for
   * anything else.
   */
  document(url: string): Promise<{ readonly document: JsonDocument; readonly freshMs: number | undefined }>;
  /** Fetches a JSON object; undefined for a 4xx status. Rejects with an `AuthError` for anything else. */
  json(url: string, what: string, headers?: Readonly<Record<string, string>>): Promise<JsonDocument | undefined>;
}

/** The size limit of metadata documents and other responses, in bytes. */
const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** The size limit of a client ID metadata document, which is less trusted, in bytes. */
const MAX_CLIENT_DOCUMENT = 16 * 1024;
/** The media types of a client ID metadata document (client ID metadata documents, section 4.1). */
const CLIENT_DOCUMENT_TYPES: MediaTypes = {
  words: 'application/json',
  pattern: /^application\/(?:[\w.-]+\+)?json$/,
};

/** Reads the body of a response. Rejects if it is larger than allowed. */
async function bounded(response: Response): Promise<Response> {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_BYTES) {
      await reader.cancel().catch(() => {});
      throw new Error(`The answer is larger than ${MAX_BYTES} bytes`);
    }
    chunks.push(value);
  }
  const { status, statusText, headers } = response;
  const body = [204, 205, 304].includes(status) ? null : new Blob(chunks);
  return new Response(body, { status, statusText, headers });
}

/** The same for a URL that the program configures. Throws a `TypeError` for one that is not https, unless it is on this machine. */
export function createOwnWeb(address: string, what: string, step: AuthStep = 'discovery'): Web {
  const guard = createUrlGuard(new URL(address), true);
  try {
    guard.check(address, what, step);
  } catch (error) {
    throw new TypeError((error as Error).message, { cause: error });
  }
  return createWeb(guard, undefined, step);
}

/** A function that passes requests on to `send`, and may look at them and at the responses. */
export type WrapFetch = (send: typeof globalThis.fetch) => typeof globalThis.fetch;

/**
 * `given`: a `fetch` of the program that is used instead. Then the addresses that hostnames resolve to are not checked. `wrap` leaves them
 * checked.
 */
export function createWeb(
  guard: UrlGuard,
  given: typeof globalThis.fetch | undefined,
  step: AuthStep = 'discovery',
  wrap: WrapFetch = (send) => send,
): Web {
  const fetch = wrap(given ?? guardedFetch(guard));
  const request = async (
    input: string | URL,
    init: RequestInit = {},
    maxRedirects = MAX_REDIRECTS,
  ): Promise<Response> => {
    let url = guard.check(String(input), 'The address', step);
    for (let redirects = 0; ; redirects++) {
      const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(init.signal == null ? [] : [init.signal])];
      const response = await fetch(url.href, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (location === null) return bounded(response);
      await response.body?.cancel();
      const next = guard.check(new URL(location, url).href, 'The redirect target', step);
      if (next.origin !== url.origin || (init.method ?? 'GET') !== 'GET' || redirects >= maxRedirects)
        throw new AuthError('unsafe-address', step, `${url.origin} redirects to ${next.origin}, which is not followed`);
      url = next;
    }
  };
  return {
    guard,
    fetch: (input, init) => request(input, init),
    trusting: (address) => createWeb(createUrlGuard(new URL(address), true), given, step, wrap),
    async document(url) {
      const response = await request(url, { headers: { accept: 'application/json' } }, 0);
      const source = sourceOf(`The document at ${new URL(url).origin}`, step);
      if (response.status !== 200) throw source.refuse(`There is no document at ${new URL(url).origin}`);
      const document = await readDocument(response, source, CLIENT_DOCUMENT_TYPES);
      if (document.text.length > MAX_CLIENT_DOCUMENT) throw source.refuse(`${source.what} is too large`);
      const cache = response.headers.get('cache-control') ?? '';
      const [, seconds] = /\bmax-age=(\d{1,9})/i.exec(cache) ?? [];
      const freshMs = /\bno-(?:store|cache)\b/i.test(cache)
        ? 0
        : seconds === undefined
          ? undefined
          : Number(seconds) * 1_000;
      return { document, freshMs };
    },
    async json(url, what, headers = {}) {
      let response: Response;
      try {
        response = await request(url, { headers: { accept: 'application/json', ...headers } });
      } catch (error) {
        if (error instanceof AuthError) throw error;
        throw new AuthError('invalid-response', step, `${what} could not be read: ${reasonOf(error as Error)}`, {
          cause: error,
        });
      }
      if (response.status >= 400 && response.status < 500) return undefined;
      if (response.status !== 200)
        throw new AuthError(
          'invalid-response',
          step,
          `${what} could not be read: ${new URL(url).origin} answered with status ${response.status}`,
        );
      return readDocument(response, sourceOf(what, step));
    },
  };
}
