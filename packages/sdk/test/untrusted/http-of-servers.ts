// HTTP responses of servers apart from their messages: statuses, headers, and the fields of event streams, byte for byte.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect, type ConnectOptions } from '../../src/entries/client.ts';
import type { Clock } from '../../src/client/clock.ts';
import { endedFor, type Report, settledInTime } from './report.ts';
import { WRONG_FIELDS } from './values.ts';

type Era = 'legacy' | 'modern' | 'sse';
/** The request with a wrong response. */
type Place = 'discover' | 'initialize' | 'initialized' | 'call' | 'listen' | 'resume' | 'leave' | 'endpoint' | 'post';
type Wrong = readonly (readonly [kind: string, value: string | undefined])[];

interface Row {
  readonly name: string;
  readonly era: Era;
  readonly place: Place;
  readonly wrong: Wrong;
  /** The response, one character for each byte. `good` is the correct body. */
  answer(value: string | undefined, good: string): string;
}

const INFO = { name: 'raw', version: '1' };
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } };

/** A header, or none. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\r\n`;
}

function head(status: string, fields: string): string {
  return `HTTP/1.1 ${status}\r\n${fields}connection: close\r\n\r\n`;
}
function jsonAnswer(body: string, more = '', status = '200 OK'): string {
  return `${head(status, `content-type: application/json\r\ncontent-length: ${body.length}\r\n${more}`)}${body}`;
}
function streamAnswer(events: string, more = ''): string {
  return `${head('200 OK', `content-type: text/event-stream\r\n${more}`)}${events}`;
}

function line(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value}\n`;
}
/** An event that is not a message, after which the stream ends. */
function event(name: string, value: string | undefined): string {
  return `id: e1\n${line(name, value)}retry: 0\ndata:\n\n`;
}

const STATUSES: Wrong = [
  ...['101 Switching Protocols', '102 Processing', '199', '202', '204', '205', '304', '307'],
  ...['400', '401', '403', '404', '405', '407', '426', '429'],
  ...['500', '503', '600', '999', '000', '99', '1000', '-1', 'true', ''],
  '101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade',
].map((status) => [JSON.stringify(status), status]);

function rows(): Row[] {
  const all: Row[] = [];
  const add = (name: string, era: Era, places: readonly Place[], wrong: Wrong, answer: Row['answer']): void => {
    for (const place of places) all.push({ name, era, place, wrong, answer });
  };
  const legacy: readonly Place[] = ['initialize', 'initialized', 'call', 'listen', 'resume', 'leave'];
  const modern: readonly Place[] = ['discover', 'call'];
  add('the status', 'legacy', legacy, STATUSES, (status, good) => jsonAnswer(good, '', status));
  add('the status', 'modern', modern, STATUSES, (status, good) => jsonAnswer(good, '', status));
  add('the status', 'sse', ['endpoint', 'post'], STATUSES, (status, good) => jsonAnswer(good, '', status));
  for (const [era, places] of [
    ['legacy', ['initialize', 'listen', 'resume']],
    ['modern', ['call']],
    ['sse', ['endpoint']],
  ] as const)
    add('content-type', era, places, WRONG_FIELDS, (value, good) => {
      const length = `content-length: ${good.length}\r\n`;
      return `${head('200 OK', field('content-type', value) + length)}${good}`;
    });
  add('mcp-session-id', 'legacy', ['initialize', 'call'], WRONG_FIELDS, (value, good) =>
    jsonAnswer(good, field('mcp-session-id', value)),
  );
  for (const name of ['content-encoding', 'transfer-encoding', 'keep-alive'])
    add(name, 'modern', ['call'], WRONG_FIELDS, (value, good) => jsonAnswer(good, field(name, value)));
  add('content-length', 'modern', ['call'], WRONG_FIELDS, (value, good) => {
    return `${head('200 OK', `content-type: application/json\r\n${field('content-length', value)}`)}${good}`;
  });
  for (const status of ['301 Moved', '307 Temporary Redirect'])
    add(`location of a ${status}`, 'modern', ['call'], WRONG_FIELDS, (value) =>
      jsonAnswer('', field('location', value), status),
    );
  add('location', 'legacy', ['listen', 'resume'], WRONG_FIELDS, (value) =>
    jsonAnswer('', field('location', value), '307 Temporary Redirect'),
  );
  for (const status of ['401 Unauthorized', '403 Forbidden'])
    add(`www-authenticate of a ${status}`, 'modern', ['discover', 'call'], WRONG_FIELDS, (value) =>
      jsonAnswer('', field('www-authenticate', value), status),
    );
  for (const status of ['429 Too Many Requests', '503 Service Unavailable'])
    add(`retry-after of a ${status}`, 'modern', ['call'], WRONG_FIELDS, (value) =>
      jsonAnswer('', field('retry-after', value), status),
    );
  for (const [name, places] of [
    ['id', ['call', 'listen', 'resume', 'initialize']],
    ['retry', ['call', 'listen', 'resume']],
    ['event', ['listen']],
    ['data', ['listen']],
  ] as const) {
    add(`${name} of an event`, 'legacy', places, WRONG_FIELDS, (value) => streamAnswer(event(name, value)));
    add(`${name} of an event`, 'modern', ['call'], WRONG_FIELDS, (value) => streamAnswer(event(name, value)));
  }
  const addresses: Wrong = [
    '//evil.example/x',
    'http://evil.example/',
    'javascript:1',
    'http://[',
    '#',
    '?',
    '/\\x',
  ].map((address) => [`'${address}'`, address]);
  add('the address to post to', 'sse', ['endpoint'], [...WRONG_FIELDS, ...addresses], (value) =>
    streamAnswer(`event: endpoint\n${line('data', value)}\n`),
  );
  return all;
}

/**
 * Does this way of sending reach our code with the value? `fetch` parses statuses and headers itself, but not values that are sent back in
 * a header or as a URL.
 */
function isSentBy(send: 'node:http' | 'fetch', { name }: Row): boolean {
  return send === 'node:http' || /^(?:mcp-session-id|location|id of an event|the address)/.test(name);
}

/** How long a client waits for its first response, in milliseconds: these cases are about time. */
const WAITS_FOR_ANSWER: readonly number[] = [4_000, 10_000, 20_000, 60_000_000];

/** A clock with short pauses between attempts. */
const clock: Clock = {
  now: () => performance.now() * 5_000,
  setTimeout: (run, ms) => setTimeout(run, WAITS_FOR_ANSWER.includes(ms) ? ms : ms / 5_000),
  clearTimeout: (timer) => clearTimeout(timer as never),
};

function placeOf(request: IncomingMessage, message: { method?: string } | undefined, era: Era): Place {
  if (era === 'sse') return request.method === 'GET' ? 'endpoint' : request.url === '/mcp' ? 'discover' : 'post';
  if (request.method === 'DELETE') return 'leave';
  if (request.method === 'GET') return request.headers['last-event-id'] === undefined ? 'listen' : 'resume';
  const places: Readonly<Record<string, Place>> = {
    'server/discover': 'discover',
    initialize: 'initialize',
    'notifications/initialized': 'initialized',
  };
  return places[message?.method ?? ''] ?? 'call';
}

function resultOf(method: string, era: Era): object {
  return (
    {
      'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES },
      initialize: {
        protocolVersion: era === 'sse' ? '2024-11-05' : '2025-11-25',
        capabilities: CAPABILITIES,
        serverInfo: INFO,
      },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    }[method] ?? {}
  );
}

/** A server whose responses are given as bytes. */
class RawServer {
  era: Era = 'legacy';
  /** Answers one request of this place wrongly. */
  wrong: { readonly place: Place; readonly answer: Row['answer']; readonly value: string | undefined } | undefined;
  url = '';
  /** How many times the client has opened a listening stream. */
  listened = 0;
  #sse: ((text: string) => void) | undefined;
  #polled = '';
  readonly #server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const message = text === '' ? undefined : (JSON.parse(text) as { id?: unknown; method?: string });
    const place = placeOf(request, message, this.era);
    const { id, method = '' } = message ?? {};
    const good =
      id === undefined || method === ''
        ? ''
        : JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, this.era) });
    if (place === 'listen') this.listened++;
    const raw = this.#wrongAt(place, good);
    // The response to a message is sent on the stream, whatever the status of the POST.
    if (raw !== undefined && place === 'post' && good !== '') this.#sse?.(good);
    if (raw !== undefined) return void request.socket.end(Buffer.from(raw, 'latin1'));
    if (this.era === 'sse') return this.#sseAnswer(place, good, response);
    if (place === 'listen' || place === 'leave') return void response.writeHead(405).end();
    if (place === 'resume') return void request.socket.end(streamAnswer(`data: ${this.#polled}\n\n`));
    // If the resumed stream is to be wrong, the first one ends without a result.
    if (place === 'call' && this.wrong?.place === 'resume') {
      this.#polled = good;
      return void request.socket.end(streamAnswer('id: e1\nretry: 0\ndata:\n\n'));
    }
    if (this.era === 'legacy' && method === 'server/discover') return void response.writeHead(404).end();
    if (good === '') return void response.writeHead(202).end();
    const session = method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {};
    return void response.writeHead(200, { 'content-type': 'application/json', ...session }).end(good);
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #wrongAt(place: Place, good: string): string | undefined {
    if (this.wrong?.place !== place) return undefined;
    const { answer, value } = this.wrong;
    this.wrong = undefined;
    return answer(value, good);
  }

  #sseAnswer(place: Place, good: string, response: import('node:http').ServerResponse): void {
    if (place === 'discover') return void response.writeHead(405).end();
    if (place === 'endpoint') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /post\n\n');
      this.#sse = (text) => void response.write(`data: ${text}\n\n`);
      return undefined;
    }
    response.writeHead(202).end();
    if (good !== '') this.#sse?.(good);
    return undefined;
  }
}

export function httpOfServers(send: 'node:http' | 'fetch') {
  return async (report: Report): Promise<void> => {
    const server = new RawServer();
    await server.open();
    const options: ConnectOptions = {
      clock,
      timeout: 60_000_000,
      onTrace() {},
      fetch: send === 'fetch' ? globalThis.fetch : undefined,
    };
    const eras = { get: () => (server.era === 'modern' ? undefined : ('legacy' as const)), set() {}, delete() {} };
    const open = (): Promise<Client> => connect(server.url, { ...options, eras });
    const well = async (client: Client): Promise<void> => {
      server.wrong = undefined;
      const closed = await Promise.race([client.closed, Promise.resolve('open' as const)]);
      if (closed !== 'open') return endedFor(closed);
      assert.equal(await client.call('echo'), 'done');
    };
    /** A new client: the connection begins wrong, or ends wrong. */
    const anew = async (place: Place): Promise<void> => {
      let client: Client | undefined;
      await settledInTime(open().then((one) => (client = one)));
      if (place === 'listen') for (let turns = 0; server.listened < 2 && turns < 10; turns++) await sleep(1);
      if (client !== undefined) await well(client);
      await client?.close();
      server.wrong = undefined;
    };
    for (const era of ['legacy', 'modern', 'sse'] as const) {
      server.era = era;
      const client = await open();
      for (const { name, place, wrong, answer } of rows().filter((row) => row.era === era && isSentBy(send, row)))
        for (const [kind, value] of wrong)
          await report.check(`${send}, ${era}, answer to ${place}: ${name} is ${kind}`, async () => {
            server.listened = 0;
            const spoil = (): void => void (server.wrong = { place, answer, value });
            if (place === 'call' || place === 'resume') {
              spoil();
              await settledInTime(client.call('echo'));
              return well(client);
            }
            if (place === 'leave' || place === 'post') {
              const other = await open();
              spoil();
              if (place === 'post') await settledInTime(other.call('echo'));
              await settledInTime(other.close());
              server.wrong = undefined;
              return undefined;
            }
            spoil();
            return anew(place);
          });
      await client.close();
    }
    server.close();
  };
}
