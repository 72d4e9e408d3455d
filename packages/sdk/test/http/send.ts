// Clients that send exactly what a test gives them: through node:http, or as bytes through a socket.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { PATIENCE_MS, until } from '../../../../scripts/lib/until.ts';
import { type SseEvent, SseParser } from '../../src/wire/sse-parser.ts';

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

/** A response that is being received. */
export interface Live {
  readonly status: Promise<number>;
  readonly headers: Promise<IncomingHttpHeaders>;
  readonly events: SseEvent[];
  readonly messages: any[];
  /** Everything received so far. */
  text(): string;
  /** The next message that was not returned yet and that a test accepts. */
  next(accepts?: (message: any) => boolean): Promise<any>;
  /** Closes the connection. */
  drop(): void;
  readonly over: Promise<void>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

export { until };

/** Sends a request and receives its response as it arrives. */
export function live(url: string, method: string, fields: Fields, body?: string): Live {
  const { hostname, port, pathname, search } = new URL(url);
  const events: SseEvent[] = [];
  const messages: any[] = [];
  let text = '';
  let given = 0;
  let over!: () => void;
  const ended = new Promise<void>((resolve) => (over = resolve));
  const parser = new SseParser((event) => {
    events.push(event);
    if (event.kind === 'message' && event.event === 'message') messages.push(JSON.parse(event.data));
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
      let found: any;
      await until(
        () => {
          while (found === undefined && given < messages.length) {
            const message = messages[given++];
            if (accepts(message)) found = message;
          }
          return found !== undefined;
        },
        () => `such a message; there were ${JSON.stringify(messages)}`,
      );
      return found;
    },
    drop: () => request.destroy(),
    over: ended,
  };
}

/** Sends a request and returns the whole response. */
export async function send(url: string, method: string, fields: Fields, body?: string): Promise<Answer> {
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
}

/** Sends bytes unchanged, and returns the response until the server closes, or for `waitMs` milliseconds. */
export function raw(port: number, bytes: string | Buffer, waitMs = PATIENCE_MS): Promise<string> {
  return new Promise((resolve) => {
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
}
