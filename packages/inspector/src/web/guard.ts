import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

// Decides which requests the inspector accepts. Any website can make a browser send requests to this machine, with DNS rebinding
// even under its own host name; so the `Host`, the `Origin` and the `Sec-Fetch` headers of every request are checked.

/** The host names of this machine's loopback interface. */
const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** The accepted values of `Host` for a port. */
export function ownHosts(port: number): ReadonlySet<string> {
  return new Set(NAMES.map((name) => new URL(`http://${name}:${port}`).host));
}

/** The kind of a request, as far as the guard distinguishes them. */
export interface Requested {
  /** `page`: the document. `asset`: a file of the page. `api`: data. `download`: data that the browser saves. */
  readonly kind: 'page' | 'asset' | 'api' | 'download';
}

function refuse(message: string): Refusal {
  return new Refusal(403, 'forbidden', message);
}

/** The value of a header. Undefined: missing. Browsers never send these headers twice. */
function singleHeader({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  const values = headersDistinct[name];
  if (values === undefined) return undefined;
  if (values.length !== 1) throw refuse(`There is more than one ${name} header`);
  return values[0];
}

/** The values of `Sec-Fetch-Dest` that each kind of request may have. */
const DESTINATIONS: Readonly<Record<Requested['kind'], ReadonlySet<string>>> = {
  page: new Set(['document']),
  asset: new Set(['script', 'style', 'font', 'image', 'empty', 'manifest', 'worker', 'document']),
  api: new Set(['empty']),
  download: new Set(['empty', 'document']),
};

/**
 * Returns whether the user follows a link to the page. That is allowed from any site, because the page itself contains no data.
 */
function isNavigation(request: IncomingMessage, { kind }: Requested): boolean {
  return kind === 'page' && request.method === 'GET' && singleHeader(request, 'sec-fetch-mode') === 'navigate';
}

/**
 * Throws a refusal for requests that another site may have caused.
 *
 * The `Host` must be one of `hosts`, an `Origin` must match it, and `Sec-Fetch-Site`, where the browser sends it, `same-origin` or `none`. `same-site` is
 * not enough: every port of this machine is same-site.
 */
export function checkCaller(request: IncomingMessage, hosts: ReadonlySet<string>, requested: Requested): void {
  const host = singleHeader(request, 'host');
  if (host === undefined || !hosts.has(host)) throw refuse('This address is not one of the inspector');
  const origin = singleHeader(request, 'origin');
  if (origin !== undefined && origin !== `http://${host}`) throw refuse('Other pages may not use the inspector');
  const destination = singleHeader(request, 'sec-fetch-dest');
  if (destination !== undefined && !DESTINATIONS[requested.kind].has(destination))
    throw refuse('The inspector may not be used like this');
  const site = singleHeader(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation(request, requested))
    throw refuse('Other pages may not use the inspector');
}
