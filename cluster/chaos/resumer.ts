// A client that leaves its stream in the middle of a call, and goes on reading at another node. Written with nothing but `fetch`, so that
// each event counts.

import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { failureOf } from './clients.ts';
import type { History } from './history.ts';

const REVISION = '2025-11-25';
const STEPS = 10;
const PAUSE_MS = 100;

export interface ResumerOptions {
  readonly name: string;
  readonly url: string;
  readonly history: History;
  readonly callMs: number;
  readonly random: () => number;
}

interface Message {
  readonly method?: string;
  readonly params?: { readonly progress?: number };
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly message: string };
}

/** What has arrived of a call. */
class Received {
  readonly steps: number[] = [];
  lastId: string | undefined;
  end: Message | undefined;

  /** Reads events until the call has ended, or until `most` have been read. */
  async read(body: ReadableStream<Uint8Array>, most = Infinity): Promise<void> {
    let count = 0;
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id, data } of events) {
      if (id !== undefined) this.lastId = id;
      if (data === '') continue;
      const message = JSON.parse(data) as Message;
      if (message.method === 'notifications/progress') this.steps.push(message.params?.progress ?? NaN);
      else if (message.method === undefined) this.end = message;
      if (this.end !== undefined || ++count >= most) break;
    }
  }
}

export class Resumer {
  readonly #options: ResumerOptions;
  #session: string | undefined;
  #stopped = false;

  constructor(options: ResumerOptions) {
    this.#options = options;
  }

  /** Calls until it is stopped. */
  async run(): Promise<void> {
    while (!this.#stopped) await this.#act();
  }

  get name(): string {
    return this.#options.name;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #act(): Promise<void> {
    const { history, callMs, name: client } = this.#options;
    const name = history.newName(client, 'resume');
    try {
      this.#session ??= await this.#initialize();
      const { steps, end } = await this.#call(name, performance.now() + callMs);
      if (end?.error !== undefined) throw new Error(end.error.message);
      const [content] = end?.result?.content ?? [];
      if (content?.text !== name) history.violations.push(`${name} got the result of another call: ${content?.text}`);
      const expected = Array.from({ length: STEPS }, (_, at) => at + 1);
      if (steps.join() !== expected.join())
        history.violations.push(`${name} resumed, and got the steps ${steps.join()}`);
      history.attempts.push({ client, kind: 'resume', name });
    } catch (error) {
      history.attempts.push({ client, kind: 'resume', name, failure: failureOf(error) });
      this.#session = undefined;
      await sleep(PAUSE_MS);
    }
  }

  #send(init: { readonly message: unknown } | { readonly lastId: string }): Promise<Response> {
    const isPost = 'message' in init;
    const headers = new Headers({
      accept: isPost ? 'application/json, text/event-stream' : 'text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
    });
    if (!isPost) headers.set('last-event-id', init.lastId);
    if (this.#session !== undefined) headers.set('mcp-session-id', this.#session);
    return fetch(this.#options.url, {
      method: isPost ? 'POST' : 'GET',
      headers,
      body: isPost ? JSON.stringify(init.message) : null,
      signal: AbortSignal.timeout(this.#options.callMs),
    });
  }

  async #initialize(): Promise<string> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: 'resumer', version: '1.0.0' } };
    const response = await this.#send({ message: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    const text = await response.text();
    const session = response.headers.get('mcp-session-id');
    if (session === null) throw new Error(`initialize was answered with ${response.status}: ${text}`);
    this.#session = session;
    await (await this.#send({ message: { jsonrpc: '2.0', method: 'notifications/initialized' } })).text();
    return session;
  }

  /** Calls, leaves the stream after a few events, and reads the rest from wherever the balancer sends it. */
  async #call(name: string, late: number): Promise<Received> {
    const received = new Received();
    const params = { name: 'steps', arguments: { name, count: STEPS }, _meta: { progressToken: name } };
    const response = await this.#send({ message: { jsonrpc: '2.0', id: name, method: 'tools/call', params } });
    if (response.status !== 200 || response.body === null)
      throw new Error(`The call was answered with ${response.status}`);
    await received.read(response.body, 1 + Math.floor(this.#options.random() * STEPS));
    while (received.end === undefined && received.lastId !== undefined && performance.now() < late)
      await this.#resume(received, received.lastId);
    if (received.end === undefined) throw new Error('The call did not end in time');
    return received;
  }

  /** Goes on reading. Does nothing if no node can be reached. Rejects if the server has not kept the events that follow. */
  async #resume(received: Received, lastId: string): Promise<void> {
    const response = await this.#send({ lastId }).catch(() => undefined);
    if (response?.status === 200 && response.body !== null) await received.read(response.body).catch(() => {});
    else await response?.text().catch(() => {});
    // A store that was away when events were sent has not kept them, and the server says so.
    if (response?.status === 400) throw new Error('The server has not kept the events');
    if (response?.status === 404) {
      this.#options.history.violations.push(`The session ${this.#session} is lost`);
      throw new Error('The session is lost');
    }
    await sleep(PAUSE_MS);
  }
}
