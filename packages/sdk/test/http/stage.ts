// A server on a real port, and clients that send exactly what they are told: through node:http, or bytes through a socket.
import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { after } from 'node:test';
import { z } from 'zod';
import { type LogEntry, type Revision, server, tool, resource, ToolError } from '../../src/entries/index.ts';
import { serveHttp, type ServedHttp, type ServeHttpOptions } from '../../src/entries/node.ts';
import { createSseParser, type SseEvent } from '../../src/wire/sse-parser.ts';

/** The server of these tests. It counts what it runs. */
export const makeApp = () => {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const gates = new Map<string, () => void>();
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      echo: tool({ input: z.object({ v: z.any() }), readOnly: true }, ({ v }) => {
        count('echo');
        return JSON.stringify(v) ?? '';
      }),
      add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => {
        count('add');
        return `${a + b}`;
      }),
      slow: tool({ input: z.object({ ms: z.number() }) }, async ({ ms }, ctx) => {
        count('slow');
        ctx.signal.addEventListener('abort', () => count('slow-aborted'));
        await new Promise((resolve) => setTimeout(resolve, ms));
        return 'slept';
      }),
      /** Runs until it is let go on, or cancelled. */
      gate: tool(
        { input: z.object({ name: z.string(), progress: z.number().default(0) }) },
        async ({ name, progress }, ctx) => {
          count('gate');
          for (let n = 1; n <= progress; n++) ctx.progress(n, progress);
          await new Promise<void>((resolve) => {
            gates.set(name, resolve);
            ctx.signal.addEventListener('abort', () => {
              count('gate-aborted');
              resolve();
            });
          });
          return `through ${name}`;
        },
      ),
      steps: tool({ input: z.object({ n: z.number() }) }, async ({ n }, ctx) => {
        for (let step = 1; step <= n; step++) {
          ctx.progress(step, n);
          await new Promise((resolve) => setImmediate(resolve));
        }
        return `${n} steps`;
      }),
      say: tool({ input: z.object({ level: z.enum(['debug', 'info', 'error']) }) }, ({ level }, ctx) => {
        ctx.log(level, 'said');
        return 'said it';
      }),
      boom: tool({}, () => {
        throw new Error('postgres://u:SECRETPW@db/x');
      }),
      no: tool({}, () => {
        throw new ToolError('No.');
      }),
      ask: tool({ input: z.object({ topic: z.string().optional() }) }, async (_, ctx) => {
        const { name } = await ctx.ask('who', 'Who are you?', z.object({ name: z.string() }));
        return `Hello, ${name}`;
      }),
      who: tool({}, (_, ctx) => ctx.principal?.id ?? 'nobody'),
      route: tool(
        {
          input: {
            type: 'object',
            properties: {
              region: { type: 'string', 'x-mcp-header': 'Region' },
              count: { type: 'integer', 'x-mcp-header': 'Count' },
              dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
              q: { type: 'string' },
            },
          },
        },
        (args) => {
          count('route');
          return JSON.stringify(args);
        },
      ),
      change: tool({}, () => {
        app.tools.set(
          'extra',
          tool({}, () => 'extra'),
        );
        return 'changed';
      }),
      touch: tool({ input: z.object({ uri: z.string() }) }, ({ uri }) => {
        app.changed(uri);
        return 'touched';
      }),
      big: tool({ input: z.object({ bytes: z.number() }) }, ({ bytes }) => 'x'.repeat(bytes)),
    },
    resources: {
      'note://a': resource({ name: 'a' }, () => 'A'),
      'note://b': resource({ name: 'b' }, () => 'B'),
    },
  });
  return { app, counts, open: (name: string) => gates.get(name)?.(), waiting: (name: string) => gates.has(name) };
};

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON of a body, or of the last message of a stream. */
  readonly json: any;
  /** The messages of a stream, or of the body. */
  readonly messages: readonly any[];
  readonly events: readonly SseEvent[];
}

/** An answer that is being received. */
export interface Live {
  readonly status: Promise<number>;
  readonly headers: Promise<IncomingHttpHeaders>;
  readonly events: SseEvent[];
  readonly messages: any[];
  /** Everything received so far. */
  text(): string;
  /** The next message, among those that were not given yet, that a test accepts. */
  next(accepts?: (message: any) => boolean): Promise<any>;
  /** Drops the connection. */
  drop(): void;
  readonly over: Promise<void>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

const PATIENCE_MS = 10_000;

/** Waits until something holds. */
export const until = async (holds: () => boolean | Promise<boolean>, what = 'what was waited for'): Promise<void> => {
  const late = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(Date.now() < late, `${what} did not happen in time`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

/** Sends a request and receives its answer as it comes. */
export const live = (url: string, method: string, fields: Fields, body?: string): Live => {
  const { hostname, port, pathname, search } = new URL(url);
  const events: SseEvent[] = [];
  const messages: any[] = [];
  let text = '';
  let given = 0;
  let wake = (): void => {};
  let over!: () => void;
  const ended = new Promise<void>((resolve) => (over = resolve));
  const parser = createSseParser((event) => {
    events.push(event);
    if (event.kind === 'message' && event.event === 'message') messages.push(JSON.parse(event.data));
    wake();
  });
  const request = httpRequest({
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    path: `${pathname}${search}`,
    method,
    headers: fields as Record<string, string>,
    agent: false,
  });
  const head = new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request.on('error', (error) => {
      reject(error);
      over();
    });
    request.on('response', (response) => {
      resolve({ status: response.statusCode!, headers: response.headers });
      const streams = response.headers['content-type'] === 'text/event-stream';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (streams) parser.push(chunk);
      });
      response.on('end', over);
      response.on('close', over);
      response.on('error', over);
    });
  });
  head.catch(() => {});
  request.end(body);
  return {
    get status() {
      return head.then(({ status }) => status);
    },
    get headers() {
      return head.then(({ headers }) => headers);
    },
    events,
    messages,
    text: () => text,
    async next(accepts = () => true) {
      const late = Date.now() + PATIENCE_MS;
      for (;;) {
        while (given < messages.length) {
          const message = messages[given++];
          if (accepts(message)) return message;
        }
        assert.ok(Date.now() < late, `no such message came; there were ${JSON.stringify(messages)}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 20);
        });
      }
    },
    drop: () => request.destroy(),
    over: ended,
  };
};

/** Sends a request and gives the whole answer. */
export const send = async (url: string, method: string, fields: Fields, body?: string): Promise<Answer> => {
  const answer = live(url, method, fields, body);
  const [status, headers] = await Promise.all([answer.status, answer.headers]);
  await answer.over;
  const text = answer.text();
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  const messages = isJson ? [JSON.parse(text)].flat() : answer.messages;
  return {
    status,
    headers,
    text,
    json: isJson ? JSON.parse(text) : messages.at(-1),
    messages,
    events: answer.events,
  };
};

/** Sends bytes as they are, and gives what comes back until the server closes, or for so many milliseconds. */
export const raw = (port: number, bytes: string | Buffer, waitMs = 1_000): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connectSocket(port, '127.0.0.1');
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(waitMs, done);
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', done);
    socket.write(bytes);
  });

export const JSON_FIELDS: Fields = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** The `_meta` of a modern request. */
export const claim = (more: object = {}): object => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  ...more,
});

/** The headers of a modern request. */
export const fieldsOf = (method: string, name?: string, more: Fields = {}): Fields => ({
  ...JSON_FIELDS,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
  ...more,
});

let lastId = 0;

/** A modern request as text. */
export const modernBody = (method: string, params: object = {}, meta: object = {}, id: unknown = ++lastId): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: claim(meta) } });

/** A legacy session, at work. */
export interface LegacySession {
  readonly id: string;
  readonly fields: Fields;
  post(message: object | readonly object[], more?: Fields): Promise<Answer>;
  /** The same, without waiting for its end. */
  begin(message: object, more?: Fields): Live;
  request(method: string, params?: object, id?: unknown): Promise<Answer>;
  listen(more?: Fields): Live;
  delete(): Promise<Answer>;
}

export interface Stage extends Omit<ServedHttp, 'close'> {
  readonly made: ReturnType<typeof makeApp>;
  readonly log: LogEntry[];
  count(name: string): number;
  close(): Promise<void>;
  /** A modern request. */
  modern(
    method: string,
    params?: { name?: string; uri?: string; [key: string]: unknown },
    more?: Fields,
    meta?: object,
  ): Promise<Answer>;
  call(name: string, args?: object, more?: Fields, meta?: object): Promise<Answer>;
  /** Begins a legacy session; its client is ready. */
  session(revision?: Revision, capabilities?: object, more?: Fields): Promise<LegacySession>;
  /** Is the server well? What every case ends with. */
  well(): Promise<void>;
}

export const initializeBody = (revision: string, capabilities: object = {}, id: unknown = 'init'): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } },
  });

/** The headers of a message in a session. */
const inSession = (id: string, revision: string): Fields => ({
  ...JSON_FIELDS,
  'mcp-session-id': id,
  ...(revision >= '2025-06-18' ? { 'mcp-protocol-version': revision } : {}),
});

/** A session at an address, which may be another node's than the one that began it. */
export const sessionAt = (url: string, id: string, revision: Revision): LegacySession => {
  const fields = inSession(id, revision);
  const begin: LegacySession['begin'] = (message, more = {}) =>
    live(url, 'POST', { ...fields, ...more }, JSON.stringify(message));
  const post: LegacySession['post'] = (message, more = {}) =>
    send(url, 'POST', { ...fields, ...more }, JSON.stringify(message));
  return {
    id,
    fields,
    post,
    begin,
    request: (method, params, id = ++lastId) =>
      post({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }),
    listen: (more = {}) => live(url, 'GET', { ...fields, accept: 'text/event-stream', ...more }),
    delete: () => send(url, 'DELETE', fields),
  };
};

/** Begins a session at an address. */
export const beginSession = async (
  url: string,
  revision: Revision = '2025-11-25',
  capabilities: object = {},
  more: Fields = {},
): Promise<LegacySession> => {
  const greeted = await send(url, 'POST', { ...JSON_FIELDS, ...more }, initializeBody(revision, capabilities));
  assert.equal(greeted.status, 200, greeted.text);
  assert.equal(greeted.json.result.protocolVersion, revision);
  const session = sessionAt(url, String(greeted.headers['mcp-session-id']), revision);
  const noted = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, more);
  assert.equal(noted.status, 202);
  return session;
};

/** Serves on a free port until the test file is done. */
export const stage = async (options: ServeHttpOptions = {}, made = makeApp()): Promise<Stage> => {
  const log: LogEntry[] = [];
  const served = await serveHttp(made.app, {
    port: 0,
    signals: false,
    drainMs: 200,
    log: (entry) => void log.push(entry),
    ...options,
  });
  after(() => served.close());
  const modern: Stage['modern'] = (method, params = {}, more = {}, meta = {}) =>
    send(served.url, 'POST', fieldsOf(method, params.name ?? params.uri, more), modernBody(method, params, meta));
  return {
    ...served,
    made,
    log,
    count: (name) => made.counts.get(name) ?? 0,
    modern,
    call: (name, args = {}, more = {}, meta = {}) => modern('tools/call', { name, arguments: args }, more, meta),
    session: (revision, capabilities, more) => beginSession(served.url, revision, capabilities, more),
    async well() {
      const started = performance.now();
      const answer = await modern('tools/call', { name: 'echo', arguments: { v: 'well' } });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.result.content[0].text, '"well"');
      assert.ok(performance.now() - started < 1_000, 'it answers within a second');
      assert.equal(
        /SECRETPW|node_modules|\.ts:\d/.test(JSON.stringify(log.filter(({ event }) => event !== 'handler-failed'))),
        false,
      );
    },
  };
};

/** Fails the test file when something went wrong that nobody waited for. */
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error) => {
    console.error(`${event}:`, error);
    process.exitCode = 1;
  });
}
