// One raw HTTP request and its streamed response: over a socket, or through the fetch entry.
import { Agent, request as httpRequest } from 'node:http';
import type { FetchHandler } from 'tenon/http';
import type { End } from './exchange.ts';
import type { Headers } from './message.ts';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Buffer | undefined;
}

/** Receives a response in chunks. */
export interface HttpListener {
  head(status: number, headers: readonly (readonly [string, string])[]): void;
  text(text: string): void;
  end(end: End): void;
}

export interface Sender {
  /** Sends a request; the returned function drops the connection. */
  send(request: HttpRequest, listener: HttpListener): () => void;
  close(): void;
}

/** The header fields as a list. */
function fieldsOf(headers: Headers): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
}

/** Sends through `node:http`, with the header fields in the given order and number. */
export function socketSender(port: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    send({ method, path, headers, body }, listener) {
      const fields = fieldsOf({ host: `127.0.0.1:${port}`, ...headers });
      const names = new Set(fields.map(([name]) => name));
      if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
        fields.push(['content-length', String(Buffer.byteLength(body))]);
      const request = httpRequest({ host: '127.0.0.1', port, path, method, agent, headers: fields.flat() });
      let left = false;
      let over = false;
      const finish = (end: End): void => {
        if (over) return;
        over = true;
        listener.end(left ? 'left' : end);
      };
      request.on('error', () => finish('broken'));
      request.on('response', (response) => {
        const { rawHeaders } = response;
        const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]!] as const] : []));
        listener.head(response.statusCode!, pairs);
        response.setEncoding('utf8');
        response.on('data', (text: string) => !left && listener.text(text));
        response.on('end', () => finish('complete'));
        response.on('close', () => finish('broken'));
        response.on('error', () => finish('broken'));
      });
      request.end(body);
      return () => {
        left = true;
        request.destroy();
        finish('left');
      };
    },
    close: () => agent.destroy(),
  };
}

/** Sends through the `fetch` function of a handler, in this process. */
export function fetchSender(handler: FetchHandler): Sender {
  return {
    send({ method, path, headers, body }, listener) {
      const stop = new AbortController();
      let left = false;
      const run = async (): Promise<void> => {
        const init: RequestInit = { method, headers: fieldsOf(headers), signal: stop.signal, body };
        const response = await handler.fetch(new Request(`http://localhost${path}`, init));
        listener.head(response.status, [...response.headers]);
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        const reader = response.body?.getReader();
        void stop.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (left || done || value === undefined) break;
          listener.text(decoder.decode(value, { stream: true }));
        }
      };
      run().then(
        () => listener.end(left ? 'left' : 'complete'),
        () => listener.end(left ? 'left' : 'broken'),
      );
      return () => {
        left = true;
        stop.abort();
      };
    },
    close: () => {},
  };
}
