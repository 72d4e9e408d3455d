// A raw client in memory: sends any message to a served server, valid or not, and records all responses. The server's messages are checked
// against the official schemas during the conversation.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  serve,
  type LogEntry,
  type Revision,
  type Served,
  type ServeOptions,
  type Server,
} from '../../src/entries/index.ts';
import { memoryPair } from '../../src/transport/memory.ts';
import { PATIENCE_MS, turns, until } from '../../../../scripts/lib/until.ts';
import { createOracle } from '../oracle/oracle.ts';

/* oxlint-disable typescript/no-explicit-any -- received messages are inspected; the tests check their shape */
/** A message of the wire. */
export interface Message {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, any>;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}
/* oxlint-enable typescript/no-explicit-any */

export const MODERN = '2026-07-28';

/** The `_meta` keys with which a modern request identifies its sender. */
export const KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  info: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
  level: 'io.modelcontextprotocol/logLevel',
} as const;

/** The params of a modern request. */
export function claimed(params: object = {}, meta: object = {}, capabilities: object = {}): Record<string, unknown> {
  return {
    ...params,
    _meta: { [KEY.version]: MODERN, [KEY.capabilities]: capabilities, ...meta },
  };
}

export interface Dialog {
  /** Everything the server sent, in order; the responses of a batch one by one. */
  readonly received: readonly Message[];
  /** The same as texts. */
  readonly texts: readonly string[];
  /** The server's log. */
  readonly log: readonly LogEntry[];
  readonly served: Served;
  /** Sends a message, or a string as it is. */
  send(message: unknown): void;
  notify(method: string, params?: object): void;
  /** The next matching message that was not taken yet. */
  next(fits?: (message: Message) => boolean): Promise<Message>;
  /** Sends a request and returns the whole response. */
  request(method: string, params?: object, id?: string | number): Promise<Message>;
  /** Performs the handshake, including `notifications/initialized`. */
  handshake(revision: Revision, capabilities?: object): Promise<Message>;
  /** The messages that were not taken, after the server had time to send everything. */
  remaining(): Promise<Message[]>;
  /** The messages that were not taken so far. */
  untaken(): Message[];
  /** Ends the client's side. */
  end(): Promise<void>;
}

export interface DialogOptions extends ServeOptions {
  /** The revision in which the server has to answer. Default: determined from the messages. */
  readonly checkedAs?: Revision;
  /** Problems of the server that the oracle may report: those that the revision makes unavoidable. */
  readonly except?: RegExp;
  /** Without the oracle: for messages in such numbers, or such disorder, that it cannot follow. */
  readonly unchecked?: boolean;
}

export { until };

/** Every message of a server has one of three forms. */
export function assertWellFormed(message: Message): void {
  const text = JSON.stringify(message);
  assert.equal(message.jsonrpc, '2.0', text);
  if (message.id !== undefined) assert.ok(['string', 'number'].includes(typeof message.id), text);
  const { result, error, method } = message;
  assert.equal([method, result, error].filter((part) => part !== undefined).length, 1, text);
  if (result !== undefined)
    assert.ok(
      typeof result === 'object' && result !== null && !Array.isArray(result) && message.id !== undefined,
      text,
    );
  if (error === undefined) return;
  assert.ok(Number.isInteger(error.code), text);
  assert.ok(
    typeof error.message === 'string' &&
      error.message !== '' &&
      error.message.length < 600 &&
      !/[\r\n]/.test(error.message),
    text,
  );
}

/** Serves `app` to the test. At the end of the test the oracle must have found no problem with the server. */
export function dialog(
  t: TestContext,
  app: Server,
  { checkedAs: judgedAs, except, unchecked: unjudged = false, ...options }: DialogOptions = {},
): Dialog {
  const [near, far] = memoryPair();
  const oracle = createOracle(judgedAs ?? 'auto', { judge: 'server-to-client' });
  const log: LogEntry[] = [];
  const served = serve(app, far, { ...options, log: (entry) => (log.push(entry), options.log?.(entry)) });
  const received: Message[] = [];
  const texts: string[] = [];
  const untaken: Message[] = [];
  let look = (): void => {};
  let asked = 0;

  const reading = (async () => {
    for await (const item of near.incoming) {
      assert.equal(typeof item, 'string');
      texts.push(item as string);
      if (!unjudged) oracle.observe('server-to-client', item);
      for (const message of [JSON.parse(item as string) as Message | Message[]].flat()) {
        assertWellFormed(message);
        received.push(message);
        untaken.push(message);
      }
      look();
    }
  })();
  // Reported where the test awaits it.
  reading.catch(() => {});

  const send = (message: unknown): void => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    if (!unjudged) oracle.observe('client-to-server', text);
    void near.send(text);
  };

  const next = (fits: (message: Message) => boolean = () => true): Promise<Message> => {
    const { stack } = new Error();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        look = () => {};
        reject(
          Object.assign(new Error(`It did not come. There was: ${texts.slice(-20).join('\n').slice(0, 4_000)}`), {
            stack,
          }),
        );
      }, PATIENCE_MS);
      look = () => {
        const at = untaken.findIndex(fits);
        if (at === -1) return;
        look = () => {};
        clearTimeout(timer);
        resolve(untaken.splice(at, 1)[0]!);
      };
      look();
    });
  };

  const it: Dialog = {
    received,
    texts,
    log,
    served,
    send,
    next,
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    request(method, params, id = `ask-${++asked}`) {
      send({ jsonrpc: '2.0', id, method, params });
      return next((message) => message.id === id && message.method === undefined);
    },
    async handshake(revision, capabilities = {}) {
      const answer = await it.request('initialize', {
        protocolVersion: revision,
        capabilities,
        clientInfo: { name: 'dialog', version: '1' },
      });
      it.notify('notifications/initialized');
      return answer;
    },
    async remaining() {
      await turns();
      return untaken.splice(0);
    },
    untaken: () => untaken.splice(0),
    async end() {
      await near.close();
      await served.closed;
    },
  };

  t.after(async () => {
    await served.close();
    await near.close();
    await reading;
    const problems =
      except === undefined ? oracle.problems : oracle.problems.filter((problem) => !except.test(problem));
    assert.deepEqual(problems, [], 'the messages of the server are valid by the official schemas');
  });
  return it;
}

/** Sends requests in the form of one revision, so that a test can be the same for all. */
export interface RevisionPeer {
  readonly modern: boolean;
  ask(method: string, params?: object, id?: string | number): Promise<Message>;
  /** Sends a request without waiting for its response. */
  start(id: string | number, method: string, params?: object): void;
  /** Checks that the server still responds. */
  alive(): Promise<void>;
}

/** Begins a conversation in `revision`: performs the handshake if there is one. */
export async function startConversation(
  it: Dialog,
  revision: Revision,
  capabilities: object = {},
): Promise<RevisionPeer> {
  const modern = revision === MODERN;
  if (!modern) assert.equal((await it.handshake(revision, capabilities)).result?.['protocolVersion'], revision);
  const whole = (params: { readonly _meta?: object } | undefined) =>
    modern ? claimed(params, params?._meta, capabilities) : params;
  const speaker: RevisionPeer = {
    modern,
    ask: (method, params, id) => it.request(method, whole(params), id),
    start: (id, method, params) => it.send({ jsonrpc: '2.0', id, method, params: whole(params) }),
    async alive() {
      assert.ok((await speaker.ask(modern ? 'server/discover' : 'ping')).result);
    },
  };
  return speaker;
}
