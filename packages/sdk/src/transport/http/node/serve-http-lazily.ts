import type { Server } from '../../../server/define.ts';
import type { ServedHttp, ServeHttpOptions } from './serve-http.ts';

/**
 * Serves a server over HTTP, in every revision at one address. Only this machine can reach it, and only under its own names,
 * unless `host`, `allowedHosts` and `expose` say otherwise. Rejects when it cannot listen, and with a `TypeError` for options that are not safe.
 *
 * @example
 * ```ts
 * const { url } = await serveHttp(app, { port: 3000 });
 * ```
 */
export const serveHttp = async (app: Server, options: ServeHttpOptions = {}): Promise<ServedHttp> =>
  // Who serves on stdin and stdout does not load what HTTP needs.
  (await import('./serve-http.ts')).serveHttp(app, options);
