// Passes requests over HTTP/2 on to a service that speaks HTTP/1.1: some client libraries speak nothing else to their own service.
import { once } from 'node:events';
import { request as send } from 'node:http';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Starts a bridge, which ends with the process. Resolves with its address. */
export async function startHttp2Bridge(target: string): Promise<string> {
  const server = createServer((request, response) => {
    const { ':authority': authority, host, ...rest } = request.headers;
    const headers = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith(':')));
    const url = new URL(request.url, target);
    const passed = send(url, { method: request.method, headers: { ...headers, host: host ?? authority } }, (reply) => {
      const { connection: _, 'transfer-encoding': _coding, 'keep-alive': _alive, ...kept } = reply.headers;
      response.writeHead(reply.statusCode!, kept);
      reply.pipe(response);
    });
    passed.once('error', () => response.stream.close());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
