import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Workbench } from '../session/contract.ts';
import { type Api, createApi, sendJson } from './api.ts';
import { type Assets, readAssets } from './assets.ts';
import { createGate, type Gate } from './gate.ts';
import { checkCaller, ownHosts } from './guard.ts';
import { closeListener, createListener, listenNear, pathOf } from './listener.ts';
import { errorAnswerOf, Refusal, refusalOf } from './refusal.ts';
import { isDownload } from './route.ts';
import { type Sandbox, serveSandbox } from './sandbox.ts';

/** Options of `serveWeb`. */
export interface WebOptions {
  /** The folder of the built page. */
  readonly assets: string;
  /** The port to listen on. Default 6280; if it is taken, one of the next 20, or any. 0: any. */
  readonly port?: number;
  /** Called with internal errors. They contain no codes, cookies or queries of URLs. */
  readonly log?: (text: string) => void;
}

/** The running inspector, on a port of this machine. */
export interface ServedWeb {
  /** The URL to open, with a code that works once. */
  readonly url: string;
  readonly port: number;
  /** Returns a URL with a new code. The previous code stops working. */
  newCode(): string;
  /** Ends all connections. The workbench is not closed. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 6_280;

function detailOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : `a value was thrown: ${typeof error}`;
}

/** Returns whether the request has a body that was not read to its end. */
function isUnread({ headers, readableEnded }: IncomingMessage): boolean {
  return !readableEnded && (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0');
}

/** Sends an error, unless the response has begun. */
function sendError(error: unknown, response: ServerResponse, log: (text: string) => void, where: string): void {
  const { refusal, unexpected } = refusalOf(error);
  // If the page was closed while it waited, the error is not logged.
  if (unexpected && response.destroyed) return;
  if (unexpected) log(`${where}: ${detailOf(error)}`);
  if (response.headersSent) return void response.destroy();
  if (isUnread(response.req)) response.setHeader('connection', 'close');
  sendJson(response, refusal.status, errorAnswerOf(refusal), refusal.headers);
}

/**
 * Serves the inspector to browsers on this machine. A browser needs the one-time code in the returned URL. Rejects if the page is
 * not built, or no port is free.
 *
 * @example
 * ```ts
 * const web = await serveWeb(workbench, { assets: join(import.meta.dirname, 'web') });
 * console.error(`Open ${web.url}`);
 * ```
 */
export async function serveWeb(workbench: Workbench, options: WebOptions): Promise<ServedWeb> {
  const { port: wanted = DEFAULT_PORT, log = () => {} } = options;
  const assets = await readAssets(options.assets);
  let hosts: ReadonlySet<string> = new Set();
  const pages = (): ReadonlySet<string> => new Set([...hosts].map((host) => `http://${host}`));
  const sandbox = await serveSandbox(pages, (error, response) => sendError(error, response, log, 'the frame'));

  let parts: Parts | undefined;
  const listener = createListener((request, response) => {
    void serve(parts!, request, response).catch((error: unknown) =>
      sendError(error, response, log, `${request.method} ${pathFor(request)}`),
    );
  });
  try {
    const port = await listenNear(listener, wanted);
    hosts = ownHosts(port);
    const gate = createGate({ port });
    const late = (error: unknown): void => log(`after an answer: ${detailOf(error)}`);
    const api = createApi({ workbench, gate, sandbox, late });
    parts = { hosts, assets, api, sandbox };
    return servedWeb(gate, port, async () => {
      api.close();
      await Promise.all([closeListener(listener), sandbox.close()]);
    });
  } catch (error) {
    await Promise.all([closeListener(listener), sandbox.close()]);
    throw error;
  }
}

interface Parts {
  readonly hosts: ReadonlySet<string>;
  readonly assets: Assets;
  readonly api: Api;
  readonly sandbox: Sandbox;
}

function servedWeb(gate: Gate, port: number, end: () => Promise<void>): ServedWeb {
  const newCode = (): string => `http://127.0.0.1:${port}/#code=${gate.newCode()}`;
  let closing: Promise<void> | undefined;
  return { url: newCode(), port, newCode, close: () => (closing ??= end()) };
}

/** The path without its query, which may be long or private. */
function pathFor({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!.slice(0, 200);
}

async function serve(
  { hosts, assets, api, sandbox }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = pathOf(request);
  const isData = path.startsWith('/api/');
  const isPage = path === '/' || path.endsWith('.html');
  checkCaller(request, hosts, { kind: isDownload(path) ? 'download' : isData ? 'api' : isPage ? 'page' : 'asset' });
  if (isData) return api.answer(request, response, path, query);
  if (request.method !== 'GET')
    throw new Refusal(405, 'method', 'Only GET is possible here', { headers: { allow: 'GET' } });
  if (!assets.has(path)) throw new Refusal(404, 'not-found', 'There is nothing here');
  return assets.send(path, request, response, sandbox.origin);
}
