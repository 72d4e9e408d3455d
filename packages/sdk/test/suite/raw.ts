// A raw client: for behaviour that a correct client never shows, and for checks of the exact messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve, type Channel, type LogEntry, type Server } from '../../src/entries/index.ts';
import { spawnChannel } from '../../src/entries/node.ts';
import { memoryPair } from '../../src/transport/memory.ts';
import type { App } from './app.ts';
import {
  type Cell,
  channels as cells,
  type CellOptions,
  legacy,
  type Message,
  type Setup,
  sharing,
  watch,
} from './cells.ts';
import { createOracle, type Oracle } from '../oracle/oracle.ts';
import { PATIENCE_MS, until } from '../../../../scripts/lib/until.ts';
import { type Fixture, suite } from './fixture.ts';
import { program } from './program.ts';

export interface RawSetup<A extends Server = App> extends CellOptions<A> {
  /** The client's capabilities. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The client's name and version. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
}

/** How a request differs from an ordinary one. */
export interface RequestOptions {
  readonly id?: string | number;
  /** Additional `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Modern only: the capabilities of this request, instead of those of the setup. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

/** A connection that sends what a test passes to it. */
export interface Raw {
  readonly cell: Cell;
  /** Everything the server sent since the test began, in order. */
  readonly received: readonly Message[];
  /** What the server reported to its operator; over stdio the lines of its stderr. */
  readonly log: readonly string[];
  /** Sends a request with the `_meta` of its era, and returns the whole response. */
  request(method: string, params?: object, options?: RequestOptions): Promise<Message>;
  /** Sends a request without waiting; returns its id. */
  ask(method: string, params?: object, options?: RequestOptions): string | number;
  answerTo(id: string | number): Promise<Message>;
  /** Sends a message, or a string as it is. */
  send(message: object | string): void;
  notify(method: string, params?: object): void;
  /** The next message that was not returned yet and that a test accepts. */
  next(accepts: (message: Message) => boolean): Promise<Message>;
  /** The next notification or request of a method. */
  nextOf(method: string): Promise<Message>;
  /** Resolves when all responses and notifications for earlier messages have arrived. */
  settled(): Promise<void>;
  /** Resolves when the suite's server has counted an event this many times. */
  counted(name: string, times: number): Promise<void>;
  /** Makes the server exit. */
  end(): void;
  /** Resolves when the server has closed the connection. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

interface RawConnection extends Raw {
  readonly oracle: Oracle;
  begin(): void;
}

interface Wire {
  readonly channel: Channel;
  readonly log: string[];
  end(): void;
}

function reach(
  { transport }: Cell,
  { fixture = suite as unknown as Fixture, serve: options = {} }: Setup<Server>,
): Wire {
  const log: string[] = [];
  if (transport === 'stdio') {
    const channel = spawnChannel({ ...program(fixture, options), stderr: (text) => void log.push(text) });
    return { channel, log, end: () => void process.kill(channel.pid!, 'SIGTERM') };
  }
  const [near, far] = memoryPair();
  const served = serve(fixture.make(), far, {
    ...options,
    log: ({ event, message, details }: LogEntry) => void log.push(`${event}: ${message} ${String(details ?? '')}`),
  });
  return { channel: near, log, end: () => void served.close() };
}

function claim(cell: Cell, capabilities: object, clientInfo: object, options: RequestOptions): Record<string, unknown> {
  return {
    ...(legacy(cell)
      ? {}
      : {
          'io.modelcontextprotocol/protocolVersion': cell.revision,
          'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? capabilities,
          'io.modelcontextprotocol/clientInfo': clientInfo,
        }),
    ...options.meta,
  };
}

/** Opens a connection and performs the handshake, if the era has one. */
export async function openRaw(cell: Cell, setup: RawSetup<Server>): Promise<RawConnection> {
  const { capabilities = {}, clientInfo = { name: 'raw', version: '1.0.0' } } = setup;
  const { channel, log, end } = reach(cell, setup);
  let ending = false;
  const oracle = createOracle(cell.revision);
  const received: Message[] = [];
  const unread: Message[] = [];
  const waiting = new Set<() => void>();
  let nextId = 1;

  const observe = (direction: 'client-to-server' | 'server-to-client', message: object | string): void => {
    oracle.observe(direction, message);
  };
  const send = (message: object | string): void => {
    observe('client-to-server', message);
    void channel.send(typeof message === 'string' ? message : JSON.stringify(message));
  };
  const done = (async () => {
    for await (const item of channel.incoming) {
      assert.equal(typeof item, 'string', JSON.stringify(item));
      observe('server-to-client', item as string);
      const value = JSON.parse(item as string) as Message | Message[];
      received.push(...[value].flat());
      unread.push(...[value].flat());
      for (const look of [...waiting]) look();
    }
  })().catch((error: unknown) => {
    // The test made the process exit.
    if (!ending) throw error;
  });
  const next: Raw['next'] = (accepts) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const at = unread.findIndex(accepts);
        if (at === -1) return;
        const [found] = unread.splice(at, 1);
        waiting.delete(look);
        clearTimeout(timer);
        resolve(found!);
      };
      const { stack } = new Error('It did not come in time');
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(Object.assign(new Error(`It did not come in time; there was ${JSON.stringify(received)}`), { stack }));
      }, PATIENCE_MS);
      waiting.add(look);
      look();
    });
  const answerTo: Raw['answerTo'] = (id) => next((message) => message.id === id && message.method === undefined);
  const ask: Raw['ask'] = (method, params, options = {}) => {
    const id = options.id ?? `raw-${nextId++}`;
    const meta = claim(cell, capabilities, clientInfo, options);
    const whole = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    send({ jsonrpc: '2.0', id, method, params: whole });
    return id;
  };
  const raw: RawConnection = {
    cell,
    received,
    log,
    oracle,
    begin() {
      received.length = unread.length = 0;
    },
    ask,
    answerTo,
    send,
    next,
    end() {
      ending = true;
      end();
    },
    over: done,
    request: (method, params, options) => answerTo(ask(method, params, options)),
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    nextOf: (method) => next((message) => message.method === method),
    async settled() {
      // Twice, so that the consequences of the first have been sent, too.
      for (let time = 0; time < 2; time++) await raw.request(legacy(cell) ? 'ping' : 'server/discover');
    },
    async counted(name, times) {
      await until(async () => {
        const { result } = await raw.request('tools/call', { name: 'counted', arguments: { name } });
        return result?.['content'][0].text === `{"count":${times}}`;
      }, `'${name}' counted ${times} times`);
    },
    async close() {
      await channel.close();
      await done;
    },
  };
  if (legacy(cell)) {
    const params = { protocolVersion: cell.revision, capabilities, clientInfo };
    const { result } = await raw.request('initialize', params);
    assert.equal(result?.['protocolVersion'], cell.revision, 'the negotiated revision is the intended one');
    raw.notify('notifications/initialized');
  }
  return raw;
}

const shared = sharing(
  openRaw,
  (raw) => raw.close(),
  ({ capabilities }) => [capabilities],
);

/** A test with raw messages in every cell, or in those selected by `only`. */
export function everywhereRaw<A extends Server = App>(
  name: string,
  run: (raw: Raw) => Promise<void>,
  options: RawSetup<A> = {},
): void {
  const setup = options as unknown as RawSetup<Server>;
  for (const cell of cells) {
    if (options.only?.(cell) === false) continue;
    if (options.alone !== true) shared.want(cell, setup);
    test(`${name} ${cell.where}`, async () => {
      const raw = options.alone === true ? await openRaw(cell, setup) : await shared.get(cell, setup);
      const verdict = watch(raw.oracle, options);
      raw.begin();
      try {
        await run(raw);
      } finally {
        if (options.alone === true) await raw.close();
      }
      verdict();
    });
  }
}
