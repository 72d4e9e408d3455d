import type { Server } from '../../../server/define.ts';
import type { ServedHttp, ServeHttpOptions } from './serve-http.ts';

/**
 * Serves a server over HTTP, in every revision at one address. By default only this machine can reach it, under its loopback names; see
 * `host`, `allowedHosts` and `expose`. Rejects when it cannot listen, and with a `TypeError` for unsafe options.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { serveHttp } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const { url } = await serveHttp(app, { port: 3000 });
 * ```
 */
export async function serveHttp(app: Server, options: ServeHttpOptions = {}): Promise<ServedHttp> {
  // Programs that serve on stdio do not load the HTTP modules.
  return (await import('./serve-http.ts')).serveHttp(app, options);
}
