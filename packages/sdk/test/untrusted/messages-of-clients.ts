// Messages of clients: each member of each message in the correct conversations, wrong in each way.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { type Logger, serve } from '../../src/entries/index.ts';
import { serveFetch } from '../../src/entries/http.ts';
import { SseParser } from '../../src/wire/sse-parser.ts';
import { memoryPair } from '../../src/transport/memory.ts';
import { standardHeaders } from '../../src/wire/headers.ts';
import type { Revision } from '../oracle/oracle.ts';
import { app } from './app.ts';
import { corpusOf } from './corpus.ts';
import { type Report, watchedLog } from './report.ts';
import { type Json, mutantsOf, write } from './values.ts';

/** A connection to the server. */
interface Line {
  send(text: string): void;
  /** Calls the listener for each message of the server. */
  onMessage(listener: (message: Json) => void): void;
  close(): Promise<void>;
  /** Resolves when the server has ended it. */
  readonly over: Promise<void>;
}

function memoryLine(log: Logger): Line {
  const [near, far] = memoryPair();
  const served = serve(app, far, { log });
  let tell: (message: Json) => void = () => {};
  const over = (async () => {
    for await (const item of near.incoming)
      for (const message of [JSON.parse(item as string)].flat() as Json[]) tell(message);
  })();
  return {
    send: (text) => void near.send(text),
    onMessage: (listener) => void (tell = listener),
    over,
    async close() {
      await near.close();
      await served.close();
    },
  };
}

/** Over HTTP: each message is a separate request, with the matching headers as far as they can be determined. */
function httpLine(log: Logger, revision: Revision): Line {
  const handler = serveFetch(app, { drainMs: 1, log });
  const open = new AbortController();
  let tell: (message: Json) => void = () => {};
  let session: string | undefined;
  const read = async (response: Response): Promise<void> => {
    session ??= response.headers.get('mcp-session-id') ?? undefined;
    const text = await takeText(response, (event) => tell(JSON.parse(event) as Json));
    if (text !== '') for (const message of [JSON.parse(text)].flat() as Json[]) tell(message);
  };
  const request = (method: string, headers: Record<string, string>, body?: string): Promise<void> =>
    handler
      .fetch(
        new Request('http://localhost/mcp', {
          method,
          signal: open.signal,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session === undefined ? {} : { 'mcp-session-id': session }),
            ...headers,
          },
          ...(body === undefined ? {} : { body }),
        }),
      )
      .then(read)
      // Ending the line ends everything that is open.
      .catch((error: unknown) => {
        if (!open.signal.aborted) throw error;
      });
  return {
    send(text) {
      void request('POST', headersFor(text, revision), text);
      if (text.includes('notifications/initialized')) void request('GET', {});
    },
    onMessage: (listener) => void (tell = listener),
    over: new Promise(() => {}),
    async close() {
      open.abort();
      await handler.close();
    },
  };
}

/** Events of a stream are passed on as they arrive; any other body at its end. */
async function takeText(response: Response, take: (data: string) => void): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  const parser = new SseParser((event) => event.kind === 'message' && take(event.data));
  for await (const chunk of response.body!) parser.push(chunk);
  return '';
}

/** The headers for a message that may be wrong, as far as they can be determined. */
function headersFor(text: string, revision: Revision): Record<string, string> {
  const message = JSON.parse(text) as { id?: never; method: string; params?: Json };
  const version = { 'mcp-protocol-version': revision };
  if (revision !== '2026-07-28' || typeof message.method !== 'string')
    return message.method === 'initialize' ? {} : version;
  try {
    const headers = standardHeaders(message, revision);
    return { ...version, ...Object.fromEntries(new Headers(headers)) };
  } catch {
    return version;
  }
}

export function messagesOfClients(revision: Revision, transport: 'memory' | 'http') {
  return async (report: Report): Promise<void> => {
    const corpus = corpusOf(revision);
    const first = corpus.asked.find(({ method }) => method === 'initialize')?.request;
    const meta = { _meta: corpus.asked.find(({ method }) => method === 'server/discover')?.params?.['_meta'] };
    const good = revision === '2026-07-28' ? { method: 'server/discover', params: meta } : { method: 'ping' };
    const { log, fault } = watchedLog();
    const open = (): Line => (transport === 'memory' ? memoryLine(log) : httpLine(log, revision));
    let line!: Line;
    let lastId = 0;
    /** The open requests by id, and the answers to requests of the server. */
    const waiting = new Map<unknown, (message: Json) => void>();
    let answerWith: (request: Json) => unknown;
    const answerRight = (request: Json): unknown => {
      const found = corpus.askedBack.find(({ method, answer }) => method === request['method'] && 'result' in answer);
      return found === undefined ? undefined : { ...found.answer, id: request['id'] };
    };
    const request = (message: Json): Promise<Json> => {
      const id = `good-${++lastId}`;
      const answer = new Promise<Json>((resolve) => waiting.set(id, resolve));
      line.send(write({ jsonrpc: '2.0', id, ...message }));
      return answer.finally(() => waiting.delete(id));
    };
    const begin = async (): Promise<void> => {
      line = open();
      answerWith = answerRight;
      line.onMessage((message) => {
        if (!('method' in message)) return waiting.get(message['id'])?.(message);
        const answer = 'id' in message ? answerWith(message) : undefined;
        if (answer !== undefined) line.send(write(answer));
      });
      if (first === undefined) return;
      await request({ method: 'initialize', params: first['params'] });
      line.send(write({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      if (transport === 'http') await turn();
    };
    /** The server responds, on this line or, if it has ended this one, on the next. */
    const well = async (): Promise<void> => {
      answerWith = answerRight;
      const ended = await Promise.race([line.over.then(() => true), turn(false)]);
      if (ended) await begin();
      assert.ok('result' in (await Promise.race([request(good), line.over.then(() => ({ result: {} }))])));
      fault();
    };
    const memory = transport === 'memory';
    const mutants = mutantsOf({ levels: memory ? 2 : 1, deep: false });
    const name = `${transport}, ${revision}`;
    await begin();
    for (const { request: one } of corpus.asked)
      for (const { where, kind, message } of mutants(one))
        await report.check(`${name}, ${String(one['method'])}: ${where} is ${kind}`, async () => {
          const fresh = one['method'] === 'initialize' ? open() : line;
          // A correct id must not be that of another request.
          const id = message['id'] === one['id'] ? { id: `wrong-${++lastId}` } : {};
          fresh.send(write({ ...message, ...id }));
          await turn();
          if (fresh !== line) await fresh.close();
          await well();
        });
    for (const one of corpus.notesOfClient)
      for (const { where, kind, message } of mutants(one))
        await report.check(`${name}, ${String(one['method'])}: ${where} is ${kind}`, async () => {
          line.send(write(message));
          await well();
        });
    // The responses to requests of the server.
    for (const asked of corpus.askedBack)
      for (const { where, kind, message } of mutants(asked.answer))
        await report.check(`${name}, answer to ${asked.method}: ${where} is ${kind}`, async () => {
          answerWith = (question) => {
            if (question['method'] !== asked.method) return answerRight(question);
            return { ...message, ...(message['id'] === '@id@' ? { id: question['id'] } : {}) };
          };
          const call = { name: 'ask', arguments: {} };
          const id = `ask-${++lastId}`;
          const ended = new Promise<void>((resolve) => waiting.set(id, () => resolve()));
          line.send(write({ jsonrpc: '2.0', id, method: 'tools/call', params: call }));
          for (let turns = 0; turns < 5; turns++) await turn();
          // A response with the wrong id answers nothing: the call waits until it is cancelled.
          line.send(write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
          await Promise.race([ended, well()]);
          waiting.delete(id);
          await well();
        });
    // A modern client sends its answers with the request.
    if (revision === '2026-07-28') {
      const asks = corpus.asked.find(({ request: one }) => 'inputResponses' in ((one['params'] as Json) ?? {}))!;
      const { result } = await request({ method: 'tools/call', params: { ...meta, name: 'ask', arguments: {} } });
      const { requestState } = result as Json;
      const again = { inputResponses: (asks.params as Json)['inputResponses'], requestState };
      for (const { where, kind, message } of mutants({ params: again }))
        await report.check(`${name}, answers: ${where} is ${kind}`, async () => {
          await request({
            method: 'tools/call',
            params: { ...meta, name: 'ask', arguments: {}, ...(message['params'] as Json) },
          });
          await well();
        });
    }
    await line.close();
  };
}
