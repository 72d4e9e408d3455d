// Notes the requests that a server sends to its service.
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Recorder {
  readonly url: string;
  /** The requests since the last call of this function: `<method> <path with query> <body>`. */
  taken(): readonly string[];
  stop(): void;
}

/** Members in a fixed order, because neither servers nor services care about it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

function bodyText(body: Buffer): string {
  const text = body.toString();
  try {
    return JSON.stringify(sorted(JSON.parse(text)));
  } catch {
    return text;
  }
}

function line(method: string, path: string, body: Buffer, leftOut: RegExp | undefined): string {
  const url = new URL(path, 'http://any');
  for (const name of [...url.searchParams.keys()]) if (leftOut?.test(name) === true) url.searchParams.delete(name);
  url.searchParams.sort();
  return `${method} ${decodeURIComponent(url.pathname)}${url.search} ${bodyText(body)}`.trim();
}

/**
 * Passes every request on to `target`, with the path that `rename` gives.
 *
 * @param leftOut names of parameters of the query that are not noted
 */
export async function startRecorder(
  target: string,
  rename: (path: string, method: string) => string,
  leftOut?: RegExp,
): Promise<Recorder> {
  let lines: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = rename(request.url!, request.method!);
    lines.push(line(request.method!, path, body, leftOut));
    const passed = send(new URL(path, target), { method: request.method!, headers: request.headers }, (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    passed.once('error', () => response.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken() {
      const taken = lines;
      lines = [];
      return taken;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
