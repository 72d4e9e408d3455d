import type { Gatekeeper, PageRequest } from '../../protocol/auth.ts';
import type { Guard } from './host-guard.ts';
import { type HttpReply, type HttpRequest, JSON_TYPE } from './http-message.ts';

/** Headers of public documents, which pages of any origin may read. */
const PUBLIC = { ...JSON_TYPE, 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' };

/** A request as a gatekeeper reads it. */
function pageRequest(request: HttpRequest): PageRequest {
  return {
    method: request.method,
    path: request.path,
    header: request.header,
    query: (name) => request.query(name),
    // The body may contain authorization codes and client secrets.
    body: (most) =>
      new Promise((resolve) =>
        request.body(most, (body) => resolve(typeof body === 'string' ? body : undefined), true),
      ),
  };
}

/** Serves the public documents and pages of a gatekeeper. Returns false for any other request. */
export function servePages(
  gate: Gatekeeper,
  guard: Guard,
  request: HttpRequest,
  reply: HttpReply,
  fail: (error: unknown) => void,
): boolean {
  if (request.repeated !== undefined || guard.refuses(request.host, undefined) !== undefined) return false;
  const document = request.method === 'GET' ? gate.document(request.path) : undefined;
  if (document !== undefined) {
    reply.send(200, PUBLIC, document);
    return true;
  }
  const page = gate.page?.(pageRequest(request));
  if (page === undefined) return false;
  void page.then(({ status, headers, body }) => reply.send(status, headers, body), fail);
  return true;
}
