// One request and its answer, without retries.
import { ApiError } from './api-error.ts';
import { type Authorizable, withoutToken } from './token.ts';
import type { WholeReply } from './reply-cache.ts';

const MAX_REDIRECTS = 5;

export interface OutgoingRequest extends Authorizable {
  readonly method: string;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export interface ExchangeOptions {
  readonly service: string;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly token: string | undefined;
  /** Adds the token to a request; called for each hop. */
  readonly authorize: (request: Authorizable) => void;
}

async function readBody(response: Response, service: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new ApiError(`The answer of ${service} has more than ${maxBytes} bytes. Ask for a smaller part.`);
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

/** The target of a redirect. One to another origin is refused: it would receive what is meant for this service. */
async function redirectOf(response: Response, { url, method }: OutgoingRequest, service: string) {
  const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
  if (location === null) return undefined;
  await response.body?.cancel();
  const to = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (to?.origin !== url.origin) throw new ApiError(`${service} redirects to another site, which is not followed.`);
  const keepsMethod = method === 'GET' || method === 'HEAD' || response.status === 307 || response.status === 308;
  if (!keepsMethod)
    throw new ApiError(`${service} says that this has moved to ${to.pathname}. Nothing was changed: use the new name.`);
  return to;
}

/** Sends a request, follows redirects within the origin, and reads the whole answer. */
export async function exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<WholeReply> {
  const { service, signal, maxBytes, token, authorize } = options;
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    // `authorize` may change the URL, and a redirect is relative to the one without the token.
    const sent = { url: new URL(url), headers: new Headers(request.headers) };
    authorize(sent);
    const init = { method: request.method, headers: sent.headers, signal, redirect: 'manual' } as const;
    const response = await fetch(sent.url.href, request.body === undefined ? init : { ...init, body: request.body });
    const to = await redirectOf(response, { ...request, url }, service);
    if (to === undefined) {
      const bytes = withoutToken(await readBody(response, service, maxBytes), token);
      const headers = new Headers(response.headers);
      // They describe the body as it was sent.
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
      return { status: response.status, headers, bytes };
    }
    if (redirects >= MAX_REDIRECTS) throw new ApiError(`${service} redirects more than ${MAX_REDIRECTS} times.`);
    url = to;
  }
}
