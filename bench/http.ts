// Drives one server over HTTP with a fixed number of connections, one request at a time on each, and tells what a request cost it.
import { connect, type Socket } from 'node:net';
import { type Cost, startProgram } from './measured.ts';

export interface HttpLoad {
  readonly server: string;
  readonly era: 'stateless' | 'session' | 'modern';
  readonly method: 'echo' | 'list' | 'steps';
  /** Tools besides the ones that are called. */
  readonly tools: number;
  readonly calls: number;
}

const CONNECTIONS = 64;
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

/** The bytes of a request. */
const bytesOf = (port: number, headers: Readonly<Record<string, string>>, message: object): Buffer => {
  const body = JSON.stringify(message);
  const head = Object.entries({
    host: `127.0.0.1:${port}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
};

const requestOf = ({ era, method }: HttpLoad, port: number, session: string | undefined): Buffer => {
  const name = method === 'echo' ? 'echo' : 'steps';
  const meta = {
    ...(era === 'modern' ? CLAIM : {}),
    ...(method === 'steps' ? { progressToken: 'p' } : {}),
  };
  const params = {
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
    ...(method === 'list' ? {} : { name, arguments: method === 'echo' ? { text: 'hello world' } : {} }),
  };
  const rpc = method === 'list' ? 'tools/list' : 'tools/call';
  const modern = { 'mcp-method': rpc, ...(method === 'list' ? {} : { 'mcp-name': name }) };
  return bytesOf(
    port,
    {
      'mcp-protocol-version': era === 'modern' ? '2026-07-28' : '2025-06-18',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(era === 'modern' ? modern : {}),
    },
    { jsonrpc: '2.0', id: 7, method: rpc, params },
  );
};

/** Reads one answer after the other; tells of each when it is complete. */
const answersOf = (socket: Socket, done: (head: string, body: string) => void): void => {
  let text = '';
  let end = -1;
  let head = '';
  let left = -1;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      if (end === -1) {
        end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        head = text.slice(0, end).toLowerCase();
        const length = /content-length: (\d+)/.exec(head);
        left = length === null ? -1 : Number(length[1]);
        if (left === -1 && / 20[24] /.test(head.slice(0, 20)) && !head.includes('chunked')) left = 0;
      }
      const whole =
        left === -1
          ? text.endsWith('0\r\n\r\n')
            ? text.length
            : -1
          : end + 4 + left <= text.length
            ? end + 4 + left
            : -1;
      if (whole === -1) return;
      const body = text.slice(end + 4, whole);
      text = text.slice(whole);
      end = -1;
      done(head, body);
      if (text === '') return;
    }
  });
};

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true).on('error', reject);
  });

const once = async (port: number, bytes: Buffer): Promise<{ head: string; body: string }> => {
  const socket = await open(port);
  try {
    return await new Promise((resolve) => {
      answersOf(socket, (head, body) => resolve({ head, body }));
      socket.write(bytes);
    });
  } finally {
    socket.destroy();
  }
};

/** Begins a session, and gives its id. */
const begin = async (port: number): Promise<string> => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const { head, body } = await once(port, bytesOf(port, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params }));
  const session = /mcp-session-id: (\S+)/.exec(head)?.[1];
  if (session === undefined) throw new Error(`no session: ${head} ${body}`);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
  await once(port, bytesOf(port, headers, { jsonrpc: '2.0', method: 'notifications/initialized' }));
  return session;
};

/** Sends a request over and over, on all connections at once, as many times as it is told. */
const driver = async (port: number, request: Buffer): Promise<(count: number) => Promise<void>> => {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  let left = 0;
  let running = 0;
  let over = (): void => {};
  for (const socket of sockets)
    answersOf(socket, () => {
      if (left-- > 0) socket.write(request);
      else if (--running === 0) over();
    });
  return (count) =>
    new Promise((resolve) => {
      over = resolve;
      left = count - sockets.length;
      running = sockets.length;
      for (const socket of sockets) socket.write(request);
    });
};

/** Runs a load. */
export const runHttp = async (load: HttpLoad): Promise<Cost> => {
  const { server, era, method, tools, calls } = load;
  const child = startProgram(`servers/http/${server}`, {
    TOOLS: String(tools),
    SESSIONS: era === 'session' ? '1' : '0',
    STREAMS: method === 'steps' ? '1' : '0',
  });
  try {
    const { port } = JSON.parse(await child.line()) as { port: number };
    const request = requestOf(load, port, era === 'session' ? await begin(port) : undefined);
    const { head, body } = await once(port, request);
    const expected = method === 'echo' ? 'hello world' : method === 'steps' ? '"progress":50' : `tool-${tools - 1}"`;
    if (!body.includes(expected)) throw new Error(`it answered ${head}\n${body.slice(0, 400)}`);
    const drive = await driver(port, request);
    await drive(Math.max(Math.ceil(calls / 2), 2 * CONNECTIONS));
    const before = await child.cpu();
    const began = performance.now();
    await drive(calls);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await child.cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`${server} could not be measured: ${child.errors()}`, { cause: error });
  } finally {
    child.kill();
  }
};

/** What an idle session costs a server, bytes of its heap. */
export const heapPerSession = async (server: string, tools: number, sessions: number): Promise<number> => {
  const child = startProgram(`servers/http/${server}`, { TOOLS: String(tools), SESSIONS: '1' });
  try {
    const { port } = JSON.parse(await child.line()) as { port: number };
    for (let index = 0; index < 200; index++) await begin(port);
    const before = await child.heap();
    for (let index = 0; index < sessions; index++) await begin(port);
    return ((await child.heap()) - before) / sessions;
  } finally {
    child.kill();
  }
};

/** What a server keeps of 10,000 modern calls, bytes of its heap. */
export const heapKept = async (server: string): Promise<number> => {
  const child = startProgram(`servers/http/${server}`, { TOOLS: '2', SESSIONS: '0' });
  try {
    const { port } = JSON.parse(await child.line()) as { port: number };
    const load: HttpLoad = { server, era: 'modern', method: 'echo', tools: 2, calls: 0 };
    const drive = await driver(port, requestOf(load, port, undefined));
    await drive(20_000);
    const before = await child.heap();
    await drive(20_000);
    return ((await child.heap()) - before) / 2;
  } finally {
    child.kill();
  }
};
