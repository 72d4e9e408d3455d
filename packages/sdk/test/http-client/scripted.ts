// A server on a real port that answers with a given function, and records its requests.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { type Clock, systemClock } from '../../src/client/clock.ts';

/** One request as it arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The names as they were spelled. */
  readonly rawHeaders: readonly string[];
  /** The message in its body. */
  readonly message: any;
  /** The time of arrival, in milliseconds. */
  readonly at: number;
  /** Resolves when the connection was closed before the answer was complete. */
  readonly dropped: Promise<void>;
}

export interface Scripted {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** The messages that were posted with this method. */
  posts(method: string): Seen[];
}

export type Answer = (seen: Seen, response: ServerResponse) => unknown;

/** Serves until the tests have ended. */
export async function scripted(answer: Answer): Promise<Scripted> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const at = Date.now();
    const text = (await request.toArray()).join('');
    let message: unknown;
    try {
      message = text === '' ? undefined : JSON.parse(text);
    } catch {
      message = text;
    }
    const { method = '', url = '', headers, rawHeaders } = request;
    const dropped = new Promise<void>((resolve) => response.once('close', () => resolve()));
    const one: Seen = { method, path: url, headers, rawHeaders, message, at, dropped };
    seen.push(one);
    await answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    posts: (method) => seen.filter((one) => one.method === 'POST' && one.message?.method === method),
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, value: unknown, status = 200, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export function result(seen: Seen, value: object): object {
  return { jsonrpc: '2.0', id: seen.message.id, result: value };
}
export function failure(seen: Seen, code: number, message: string, data?: unknown): object {
  return {
    jsonrpc: '2.0',
    id: seen.message?.id ?? null,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  };
}

/** The text of one event. */
export function event(message: unknown, { id, retry }: { id?: string; retry?: number } = {}): string {
  return `${id === undefined ? '' : `id: ${id}\n`}${retry === undefined ? '' : `retry: ${retry}\n`}data: ${message === undefined ? '' : JSON.stringify(message)}\n\n`;
}

/** Begins a stream of events. */
export function stream(response: ServerResponse, headers: object = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
}

const info = { name: 'scripted', version: '1' };
const echoTool = { name: 'echo', inputSchema: { type: 'object' } };
const complete = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info } };
export function said(text: string): object {
  return { ...complete, content: [{ type: 'text', text }] };
}

/** A server of 2026-07-28; `answer` handles a request if it returns a value other than undefined. */
export function modernServer(answer: Answer = () => undefined, tools: readonly object[] = [echoTool]) {
  return scripted(async (seen, response) => {
    if ((await answer(seen, response)) !== undefined) return undefined;
    const { method } = seen.message ?? {};
    if (seen.method !== 'POST') return response.writeHead(405).end();
    if (method === 'server/discover')
      return json(
        response,
        result(seen, {
          ...complete,
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} },
          ttlMs: 0,
          cacheScope: 'private',
        }),
      );
    if (method === 'tools/list')
      return json(response, result(seen, { ...complete, tools, ttlMs: 0, cacheScope: 'private' }));
    if (method === 'tools/call') return json(response, result(seen, said('done')));
    return json(response, failure(seen, -32601, 'Method not found'), 404);
  });
}

/** A server with sessions. */
export function legacyServer(
  answer: Answer = () => undefined,
  { revision = '2025-11-25', session = 'session-1' as string | undefined } = {},
) {
  return scripted(async (seen, response) => {
    if ((await answer(seen, response)) !== undefined) return undefined;
    const { method, id } = seen.message ?? {};
    if (seen.method === 'DELETE') return response.writeHead(200).end();
    if (seen.method !== 'POST') return response.writeHead(405).end();
    if (method === 'initialize')
      return json(
        response,
        result(seen, {
          protocolVersion: revision,
          capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
          serverInfo: info,
        }),
        200,
        session === undefined ? {} : { 'mcp-session-id': session },
      );
    if (id === undefined || method === undefined) return response.writeHead(202).end();
    if (method === 'server/discover') return json(response, failure(seen, -32601, 'Method not found'), 400);
    if (method === 'tools/list') return json(response, result(seen, { tools: [echoTool] }));
    if (method === 'tools/call') return json(response, result(seen, { content: [{ type: 'text', text: 'done' }] }));
    return json(response, result(seen, {}));
  });
}

export { until } from '../../../../scripts/lib/until.ts';

/** A clock that skips some waits: its time continues as if they had passed. `waits`: all waits that were begun, in milliseconds. */
export function skippingClock(isSkipped: (ms: number) => boolean, waits: number[] = []): Clock {
  let skipped = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skipped,
    setTimeout(run, ms) {
      waits.push(ms);
      if (!isSkipped(ms)) return systemClock.setTimeout(run, ms);
      return systemClock.setTimeout(() => {
        skipped += ms;
        run();
      }, 0);
    },
  };
}
