import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

// Who may speak to the inspector at all. A page of the web can make a browser send requests to this machine, and by DNS rebinding even from
// a name of its own; so every request is held against the names of this machine, the origin it says, and what the browser says about it.

/** The names this machine has for itself. */
const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** What a `Host` header may say for a port. */
export const ownHosts = (port: number): ReadonlySet<string> =>
  new Set(NAMES.map((name) => new URL(`http://${name}:${port}`).host));

/** What is asked for, as far as it matters who asks. */
export interface Asked {
  /** `page`: the document itself. `asset`: a file of it. `api`: data. `download`: data that the browser saves. */
  readonly kind: 'page' | 'asset' | 'api' | 'download';
}

const refuse = (message: string): Refusal => new Refusal(403, 'forbidden', message);

/** The only value of a header; undefined if it is missing. Nobody honest sends two. */
const only = ({ headersDistinct }: IncomingMessage, name: string): string | undefined => {
  const values = headersDistinct[name];
  if (values === undefined) return undefined;
  if (values.length !== 1) throw refuse(`There is more than one ${name} header`);
  return values[0];
};

/** The destinations that a browser names for each kind of request. */
const DESTINATIONS: Readonly<Record<Asked['kind'], ReadonlySet<string>>> = {
  page: new Set(['document']),
  asset: new Set(['script', 'style', 'font', 'image', 'empty', 'manifest', 'worker', 'document']),
  api: new Set(['empty']),
  download: new Set(['empty', 'document']),
};

/** Is this somebody who follows a link to the page? He gets it: there is nothing in it. */
const isVisit = (request: IncomingMessage, { kind }: Asked): boolean =>
  kind === 'page' && request.method === 'GET' && only(request, 'sec-fetch-mode') === 'navigate';

/**
 * Throws a refusal for requests that another site may have caused.
 *
 * The `Host` must be one of `hosts`, an `Origin` the same, and `Sec-Fetch-Site`, where the browser sends it, `same-origin` or `none`. `same-site` is
 * not enough: any port of this machine is that.
 */
export const checkCaller = (request: IncomingMessage, hosts: ReadonlySet<string>, asked: Asked): void => {
  const host = only(request, 'host');
  if (host === undefined || !hosts.has(host)) throw refuse('This address is not one of the inspector');
  const origin = only(request, 'origin');
  if (origin !== undefined && origin !== `http://${host}`) throw refuse('Other pages may not use the inspector');
  const destination = only(request, 'sec-fetch-dest');
  if (destination !== undefined && !DESTINATIONS[asked.kind].has(destination))
    throw refuse('The inspector may not be used like this');
  const site = only(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit(request, asked))
    throw refuse('Other pages may not use the inspector');
};
