import { settle } from '../../protocol/maybe.ts';
import { refusePost } from './run-checks.ts';
import { type HttpExchange, readBody } from './http-exchange.ts';
import type { Endpoint } from './endpoint.ts';
import type { UnreadableBody } from './http-message.ts';
import { failRequest, hasRequest, refuse, refuseCaller, refuseWhileDraining } from './refuse.ts';
import { initialize, serveInSession } from './legacy/serve-session.ts';
import { serveSessionless } from './legacy/serve-sessionless.ts';
import { serveModern } from './modern/serve-modern.ts';

/** Serves a POST whose body has been read: runs the checks, checks the scopes of its token, and serves its messages. */
export function servePost(endpoint: Endpoint, http: HttpExchange, text: string | UnreadableBody): void {
  const body = (http.body = readBody(text, endpoint.engine.limits));
  if (typeof text === 'string') http.text = text;
  const refusal = refusePost(http, endpoint.rules);
  if (http.era === 'legacy' || body.kind !== 'request' || body.method !== 'tools/call') http.text = '';
  if (refusal !== undefined) return refuse(endpoint, http, refusal);
  if (endpoint.draining && hasRequest(body)) return refuseWhileDraining(http);
  if (!endpoint.scopes.inUse) return serveMessages(endpoint, http);
  return void settle(
    () => endpoint.scopes.refuses(body.kind === 'batch' ? body.messages : body, http.principal),
    (denial) =>
      denial === undefined ? serveMessages(endpoint, http) : refuseCaller(endpoint, http, denial, { check: 'scopes' }),
    // A request whose scopes cannot be determined is not served.
    (error) => failRequest(endpoint, http, error),
  );
}

function serveMessages(endpoint: Endpoint, http: HttpExchange): void {
  const { body, era, session } = http;
  if (body.kind === 'request' && era === 'modern') return serveModern(endpoint, http, body);
  if (body.kind === 'request' && body.method === 'initialize') return initialize(endpoint, http, body);
  if (era === 'legacy' && session !== undefined) return serveInSession(endpoint, http, session);
  return serveSessionless(endpoint, http);
}
