// Serves the finished site on this machine, as any host of static files does.

import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve, sep } from 'node:path';

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.md', 'text/markdown; charset=utf-8'],
]);

/** The file for the path of a URL; undefined if it is outside of the folder or does not exist. */
async function fileFor(folder: string, pathname: string): Promise<string | undefined> {
  const path = resolve(join(folder, pathname));
  if (path !== folder && !path.startsWith(folder + sep)) return undefined;
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return path;
  const index = join(path, 'index.html');
  return (await stat(index).catch(() => undefined)) === undefined ? undefined : index;
}

function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url, 'http://site').pathname);
  } catch {
    return undefined;
  }
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pathname = pathOf(request.url ?? '/');
  const found = pathname === undefined ? undefined : await fileFor(folder, pathname);
  const path = found ?? join(folder, '404.html');
  const body = await readFile(path).catch(() => 'Not found');
  const type = TYPES.get(extname(path)) ?? 'text/plain; charset=utf-8';
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': type, 'cache-control': 'no-cache' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Serves a folder on the loopback interface. Rejects if the port is taken. Port 0: any free one. */
export async function serveFolder(folder: string, port: number): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer((request, response) => {
    answer(folder, request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
