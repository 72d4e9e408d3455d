import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, Refusal } from './refusal.ts';
import { COMMON_HEADERS, DATA_POLICY, PERMISSIONS } from './headers.ts';
import { closeListener, createListener, listenOn, pathOf } from './listener.ts';
import { SANDBOX_PAGE, SANDBOX_SCRIPT } from './sandbox-page.ts';

/** A second origin, for HTML of servers. It serves only the frame. */
export interface Sandbox {
  readonly origin: string;
  /** The frame for a page of this origin. */
  frameFor(page: string): string;
  close(): Promise<void>;
}

/**
 * The form of an origin that an app may declare: nothing that could end a directive, or match more than one host or its
 * subdomains.
 */
const ORIGIN =
  /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9][a-z0-9-]{0,62}){0,10}(?::\d{1,5})?$/i;
const MAX_ORIGINS = 32;

function originsOf(query: URLSearchParams, name: string): string {
  const origins = query.getAll(name);
  if (origins.length > MAX_ORIGINS) throw badRequest(`An app may name ${MAX_ORIGINS} origins`);
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong !== undefined) throw badRequest(`${name} must be an origin, such as https://example.com`);
  return origins.join(' ');
}

/** The nested frame inherits this policy, so it decides which origins the HTML may use: only those declared. */
function policyFor(query: URLSearchParams, page: string): string {
  const [connect, resource, frame, base] = ['connect', 'resource', 'frame', 'base'].map((name) =>
    originsOf(query, name),
  );
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resource}`,
    `style-src 'unsafe-inline' ${resource}`,
    `img-src data: blob: ${resource}`,
    `media-src data: blob: ${resource}`,
    `font-src data: ${resource}`,
    `connect-src ${connect || "'none'"}`,
    `frame-src ${frame || "'none'"}`,
    `base-uri ${base || "'none'"}`,
    "object-src 'none'",
    "form-action 'none'",
    `frame-ancestors ${page}`,
  ]
    .map((directive) => directive.trim())
    .join('; ');
}

function sendFrame(response: ServerResponse, query: URLSearchParams, pages: ReadonlySet<string>): void {
  const page = query.get('page');
  if (page === null || !pages.has(page)) throw new Refusal(403, 'forbidden', 'Only the inspector may show this frame');
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(query, page),
    'permissions-policy': PERMISSIONS,
  });
  response.end(SANDBOX_PAGE);
}

function sendScript(response: ServerResponse): void {
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': DATA_POLICY,
  });
  response.end(SANDBOX_SCRIPT);
}

function answer(request: IncomingMessage, response: ServerResponse, host: string, pages: ReadonlySet<string>): void {
  const { headersDistinct, method } = request;
  if (headersDistinct['host']?.length !== 1 || headersDistinct['host'][0] !== host)
    throw new Refusal(403, 'forbidden', 'This address is not one of the inspector');
  if (method !== 'GET') throw new Refusal(405, 'method', 'Only GET', { headers: { allow: 'GET' } });
  const { path, query } = pathOf(request);
  const destination = request.headers['sec-fetch-dest'];
  if (path === '/frame' && (destination === undefined || destination === 'iframe'))
    return sendFrame(response, query, pages);
  if (path === '/frame.js' && (destination === undefined || destination === 'script')) return sendScript(response);
  throw new Refusal(404, 'not-found', 'There is nothing here');
}

/** Opens the second port. `pages` returns the origins that may embed the frame. */
export async function serveSandbox(
  pages: () => ReadonlySet<string>,
  onError: (error: unknown, response: ServerResponse) => void,
): Promise<Sandbox> {
  const listener = createListener((request, response) => {
    try {
      answer(request, response, host, pages());
    } catch (error) {
      onError(error, response);
    }
  });
  const port = await listenOn(listener, 0);
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;
  return {
    origin,
    frameFor: (page) => `${origin}/frame?page=${encodeURIComponent(page)}`,
    close: () => closeListener(listener),
  };
}
