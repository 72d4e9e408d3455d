import { channelTransport } from '../client/client-transport.ts';
import type { Dialer } from '../client/dialer.ts';
import { fetchSend } from '../transport/http-client/fetch-send.ts';
import type { Fields } from '../transport/http-client/http-sender.ts';
import { HttpTransport } from '../transport/http-client/http-transport.ts';
import { followRedirects } from '../transport/http-client/redirects.ts';
import { isFieldValue } from '../wire/headers.ts';
import type { DialOptions, HeadersOption } from './dial-options.ts';
import { fingerprint } from './fingerprint.ts';

/** Makes the dialer of a server at a URL. */
export async function dialUrl(
  url: string,
  { limits, clock, timeout, headers = {}, fetch, auth, tracer }: DialOptions,
  partition: string,
): Promise<Dialer> {
  const direct = fetch === undefined ? (await import('#http')).defaultSend() : fetchSend(fetch);
  const send = followRedirects(tracer === undefined ? direct : tracer.send(direct));
  // Loaded on demand: many programs have no credentials.
  const asks = auth !== undefined || typeof headers === 'function';
  const sendAuthorized = asks
    ? (await import('../transport/http-client/authorized-request.ts')).sendAuthorized
    : undefined;
  const options = { url, send, sendAuthorized, headers: headersOf(headers), limits, clock, timeout, auth };
  const key = await fingerprint(['http', url]);
  let transport: HttpTransport | undefined;
  return {
    open: () => (transport = new HttpTransport(options)),
    key,
    url,
    reopens: true,
    restarts: true,
    server: key,
    // Clients with different credentials must not share private cached results.
    partition: `${partition}\n${typeof headers === 'function' || auth !== undefined ? crypto.randomUUID() : await fingerprint(Object.entries(headers).sort())}`,
    http: {
      status: () => transport?.status,
      opaque: typeof (globalThis as { document?: unknown }).document === 'object',
      fallback: async () => {
        const { openSseChannel } = await import('../transport/http-client/sse-channel.ts');
        return channelTransport(await openSseChannel(options), limits);
      },
    },
  };
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Headers by name in lower case. Throws a `TypeError` for an invalid header, without repeating its value, which may be secret. */
function checkedHeaders(headers: Fields): Fields {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name) || !isFieldValue(value))
      throw new TypeError(`The header '${name}' has a name or a value that no header can have`);
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

function headersOf(headers: HeadersOption): Fields | (() => Promise<Fields>) {
  return typeof headers === 'function' ? async () => checkedHeaders(await headers()) : checkedHeaders(headers);
}
