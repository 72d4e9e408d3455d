// HTTP as bytes: requests made once and sent many times with another id, answers read as they arrive.
import { connect, type Socket } from 'node:net';
import { INITIALIZE, LEGACY } from './messages.ts';

/** The bytes of a request. */
export function bytesOf(port: number, headers: Readonly<Record<string, string | undefined>>, message: object): Buffer {
  const body = JSON.stringify(message);
  const head = Object.entries({
    host: `127.0.0.1:${port}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}

/** Puts another id into a request wherever it has one, and gives its bytes. Ids have the same length. */
export function numbered(request: Buffer, first: number): (id: number) => Buffer {
  const own = Buffer.from(request);
  const places: number[] = [];
  for (let at = own.indexOf(String(first)); at !== -1; at = own.indexOf(String(first), at + 1)) places.push(at);
  return (id) => {
    for (const place of places) own.write(String(id), place, 'latin1');
    return own;
  };
}

export interface HttpAnswer {
  /** Status line and header fields, in lower case. */
  readonly head: string;
  /** As it was sent: in chunks, if it came in chunks. One character for each byte. */
  readonly body: string;
}

/** Reads one answer after the other; tells of each when it is complete. */
export function answersOf(socket: Socket, done: (answer: HttpAnswer) => void): void {
  let text = '';
  let end = -1;
  let head = '';
  let left = -1;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    if (end === -1) {
      end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      head = text.slice(0, end).toLowerCase();
      const length = /content-length: (\d+)/.exec(head);
      left = length === null ? -1 : Number(length[1]);
      if (left === -1 && !head.includes('transfer-encoding: chunked')) left = 0;
    }
    const last = chunk.length < 5 ? text : chunk;
    if (left === -1 ? !last.endsWith('0\r\n\r\n') : text.length < end + 4 + left) return;
    const body = text.slice(end + 4);
    text = '';
    end = -1;
    done({ head, body });
  });
}

/** The JSON-RPC messages of an answer: one JSON object, or those of a stream. */
export function messagesIn(body: string): unknown[] {
  const text = Buffer.from(/^[0-9a-f]+\r\n/i.test(body) ? unchunked(body) : body, 'latin1').toString();
  if (text.startsWith('{')) return [JSON.parse(text)];
  return text
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as unknown);
}

function unchunked(body: string): string {
  const parts: string[] = [];
  for (let at = 0; ;) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, line), 16);
    if (!(size > 0)) return parts.join('');
    parts.push(body.slice(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true).on('error', reject);
  });
}

/** Sends one request on a connection of its own. */
export async function once(port: number, bytes: Buffer): Promise<HttpAnswer> {
  const socket = await open(port);
  try {
    return await new Promise((resolve, reject) => {
      answersOf(socket, resolve);
      socket.on('close', () => reject(new Error('The server closed the connection without an answer')));
      socket.write(bytes);
    });
  } finally {
    socket.destroy();
  }
}

/** Begins a session, and gives its id. */
export async function begin(port: number): Promise<string> {
  const initialize = bytesOf(port, {}, { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE });
  const { head, body } = await once(port, initialize);
  const session = /mcp-session-id: (\S+)/.exec(head)?.[1];
  if (session === undefined) throw new Error(`No session was begun: ${head} ${body}`);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
  const initialized = await once(port, bytesOf(port, headers, { jsonrpc: '2.0', method: 'notifications/initialized' }));
  if (!/^http\/1\.1 20[24] /.test(initialized.head)) throw new Error(`initialized was refused: ${initialized.head}`);
  return session;
}
