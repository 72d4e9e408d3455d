import type { Gatekeeper, PageRequest } from '../../protocol/auth.ts';
import type { Guard } from './host-guard.ts';
import type { HttpExchange } from './http-exchange.ts';
import { JSON_TYPE } from './http-message.ts';

/** Headers of public documents, which pages of any origin may read. */
const PUBLIC = { ...JSON_TYPE, 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=3600' };

/** A request as a gatekeeper reads it. */
function pageRequest({ caller, request }: HttpExchange): PageRequest {
  return {
    ...caller,
    search: request.search,
    // The body may contain authorization codes and client secrets.
    body: (most) =>
      new Promise((resolve) =>
        request.body(most, (body) => resolve(typeof body === 'string' ? body : undefined), true),
      ),
  };
}

/** Serves the public documents and pages of a gatekeeper. Returns false for any other request. `report`: called with errors for the log. */
export function servePages(
  gate: Gatekeeper,
  guard: Guard,
  http: HttpExchange,
  report: { readonly failed: (error: unknown) => void; readonly refused: (status: number, cause: unknown) => void },
): boolean {
  const { request, reply } = http;
  if (request.repeated !== undefined || guard.refuses(request.host, undefined) !== undefined) return false;
  const document = request.method === 'GET' ? gate.document(request.path) : undefined;
  if (document !== undefined) {
    reply.send(200, PUBLIC, document);
    return true;
  }
  const page = gate.page?.(pageRequest(http));
  if (page === undefined) return false;
  void page.then(({ status, headers, body, cause }) => {
    if (cause !== undefined) report.refused(status, cause);
    // Closes the connection, because an unread rest of the body would be parsed as the next request.
    reply.send(status, headers, body, true);
  }, report.failed);
  return true;
}
