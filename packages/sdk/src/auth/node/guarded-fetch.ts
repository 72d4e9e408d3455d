import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { UrlGuard } from '../url-guard.ts';

type Resolve = (hostname: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const resolveByDns: Resolve = (hostname, answer) => dnsLookup(hostname, { all: true, verbatim: true }, answer);

/** Checks the resolved addresses at the time of the connection, so that a hostname cannot resolve to another one after the check (DNS rebinding). */
function guardedLookup(guard: Pick<UrlGuard, 'admits'>, resolve: Resolve): LookupFunction {
  return (hostname, { all }, answer) =>
    resolve(hostname, (error, found) => {
      if (error !== null) return answer(error, '', 0);
      const addresses = found.filter(({ address }) => guard.admits(hostname, address));
      const [first] = addresses;
      if (first === undefined)
        return answer(new Error(`${hostname} is not on the internet`) as NodeJS.ErrnoException, '', 0);
      return all === true ? answer(null, addresses) : answer(null, first.address, first.family);
    });
}

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 502;
  const headers = new Headers();
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at]!, message.rawHeaders[at + 1]!);
  const body = NO_BODY.has(status) ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>);
  if (body === null) message.resume();
  return new Response(body, { status, headers });
}

function bodyOf({ body }: RequestInit): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only strings and forms can be sent');
}

/** `fetch` that connects only to addresses that the guard admits, and does not follow redirects. */
export function guardedFetch(
  guard: Pick<UrlGuard, 'admits'>,
  resolve: Resolve = resolveByDns,
): typeof globalThis.fetch {
  const lookup = guardedLookup(guard, resolve);
  return (input, init = {}) =>
    new Promise((done, fail) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      const body = bodyOf(init);
      const headers = new Headers(init.headers);
      if (body !== undefined && !headers.has('content-type') && init.body instanceof URLSearchParams)
        headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
      headers.set('accept-encoding', 'identity');
      if (!headers.has('user-agent')) headers.set('user-agent', 'tenon');
      if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        lookup,
        agent: false,
        signal: init.signal ?? undefined,
      });
      request
        .on('error', fail)
        // For a response such as 101 Switching Protocols, Node closes the connection without any other event.
        .on('close', () => fail(new Error('The connection was closed before there was an answer')))
        .on('response', (message) => {
          try {
            done(responseOf(message));
          } catch (error) {
            // A `Response` cannot have a status such as 600.
            message.destroy();
            fail(error as Error);
          }
        });
      request.end(body);
    });
}
