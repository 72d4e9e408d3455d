// How the servers made with Tenon, and those that listen on a port, are started: each for as long as whoever started it is there.
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import process from 'node:process';
import type { Server } from 'tenon';
import { serveHttp, serveStdio } from 'tenon/node';

/** Ends this process when its stdin ends. */
export const endWithParent = (): void => void process.stdin.resume().on('end', () => process.exit());

/** Says where the server is, in the first line of stdout. */
export const announce = (url: string): void => {
  process.stdout.write(`${url}\n`);
  endWithParent();
};

/** Serves on stdin and stdout; with `--http` on a port. */
export const start = async (app: Server): Promise<void> => {
  if (!process.argv.includes('--http')) return serveStdio(app);
  const { url } = await serveHttp(app, { port: 0, signals: false });
  announce(url);
};

/** Listens on a free port and says where. */
export const listen = (server: HttpServer, path: string): void => {
  server.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`));
};

/** A port that is free now, for servers that have to know their own address before they listen. */
export const freePort = async (): Promise<number> => {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => void probe.close(resolve));
  return port;
};
