// One request and its answer, without retries.
import { ApiError, MAY_BE_CHANGED } from './api-error.ts';
import { type Authorizable, textWithoutSecrets, withoutSecrets } from './token.ts';
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
  /** What must not come back in the answer. */
  readonly secrets: readonly string[];
  /** Adds the token to a request; called for each hop. */
  readonly authorize: (request: Authorizable) => void;
}

/** Whether requests with this method only read. */
export function isRead({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD';
}

async function readBody(response: Response, request: OutgoingRequest, { service, maxBytes }: ExchangeOptions) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      const advice = isRead(request) ? 'Ask for a smaller part.' : MAY_BE_CHANGED;
      throw new ApiError(`The answer of ${service} has more than ${maxBytes} bytes. ${advice}`);
    }
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

/** Headers without secrets, and without those that describe the body as it was sent. */
function headersOf(response: Response, secrets: readonly string[]): Headers {
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  for (const [name, value] of response.headers) {
    const known = textWithoutSecrets(value, secrets);
    if (known !== value) headers.set(name, known);
  }
  return headers;
}

/** The target of a redirect. One to another origin is refused: it would receive what is meant for this service. */
async function redirectOf(
  response: Response,
  { url, method }: OutgoingRequest,
  { service, secrets }: Pick<ExchangeOptions, 'service' | 'secrets'>,
) {
  const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
  if (location === null) return undefined;
  await response.body?.cancel();
  const to = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (to?.origin !== url.origin) throw new ApiError(`${service} redirects to another site, which is not followed.`);
  if (isRead({ method }) || response.status === 307 || response.status === 308) return to;
  const place = textWithoutSecrets(to.pathname, secrets);
  // It names the result of a request that was carried out (RFC 9110, 15.4.4).
  if (response.status === 303) throw new ApiError(`${service} refers to ${place} for the result. ${MAY_BE_CHANGED}`);
  throw new ApiError(`${service} says that this has moved to ${place}. Nothing was changed: use the new name.`);
}

/** Sends a request, follows redirects within the origin, and reads the whole answer. */
export async function exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<WholeReply> {
  const { service, signal, secrets, authorize } = options;
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    // `authorize` may change the URL, and a redirect is relative to the one without the token.
    const sent = { url: new URL(url), headers: new Headers(request.headers) };
    authorize(sent);
    const init = { method: request.method, headers: sent.headers, signal, redirect: 'manual' } as const;
    const response = await fetch(sent.url.href, request.body === undefined ? init : { ...init, body: request.body });
    const to = await redirectOf(response, { ...request, url }, options);
    if (to === undefined) {
      const bytes = withoutSecrets(await readBody(response, request, options), secrets);
      return { status: response.status, headers: headersOf(response, secrets), bytes };
    }
    if (redirects >= MAX_REDIRECTS) throw new ApiError(`${service} redirects more than ${MAX_REDIRECTS} times.`);
    url = to;
  }
}
