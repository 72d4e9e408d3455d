// A conversation with one server on one transport in one revision. It waits only for states: an expected message, or the end of a
// response. Nothing depends on elapsed time.
import type { Revision } from 'tenon';
import type { Exchange, Transport } from './exchange.ts';
import { ABLE, type Headers, type Message, MODERN, paramsIn } from './message.ts';

/** How a message is sent over HTTP; on a channel only the text counts. */
export interface SendOptions {
  readonly method?: string;
  readonly path?: string;
  /** Overrides of the message's default headers; `undefined` removes one. */
  readonly headers?: Headers;
  /** Only these headers, without the message's default ones. */
  readonly onlyHeaders?: Headers;
  /** Sends no body. */
  readonly noBody?: boolean;
}

/** An exchange in progress. */
export interface Open {
  /** The next message that fulfils a condition, among those not consumed yet. */
  next(accepts?: (message: Message) => boolean): Promise<Message>;
  /** Waits until the response is complete. */
  whole(): Promise<Exchange>;
  /** Disconnects from the response. */
  drop(): Promise<void>;
}

/** The client of one conversation: sends messages and records the responses. */
export interface Client {
  begin(exchange: Exchange, text: string | Buffer, how: SendOptions): Promise<Open>;
  /** Shuts the server down while the client still listens, so that the rest arrives. */
  shutDown(exchange: Exchange): Promise<void>;
  close(): Promise<void>;
}

/** Timeout for an expected message, in milliseconds. Only a build that loses messages waits that long. */
const PATIENCE_MS = 15_000;
const SHORT_PATIENCE_MS = 500;
let lost = 0;

/** Waits for something expected; false on timeout. After a few timeouts the limit is shorter, because the builds differ anyway. */
export async function comes(wanted: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), lost < 3 ? PATIENCE_MS : SHORT_PATIENCE_MS);
  });
  const came = await Promise.race([wanted.then(() => true), late]);
  clearTimeout(timer);
  if (!came) lost++;
  return came;
}

export class Conversation {
  readonly exchanges: Exchange[] = [];
  readonly transport: Transport;
  readonly revision: Revision;
  readonly #scenario: string;
  readonly #client: Client;
  readonly #names = new Map<string, number>();
  #lastId = 0;

  constructor(transport: Transport, revision: Revision, scenario: string, client: Client) {
    this.transport = transport;
    this.revision = revision;
    this.#scenario = scenario;
    this.#client = client;
  }

  get modern(): boolean {
    return this.revision === MODERN;
  }

  /** Whether each message has its own response. */
  get http(): boolean {
    return /^(?:http|fetch)/.test(this.transport);
  }

  get stateless(): boolean {
    return this.transport.endsWith('-stateless');
  }

  request(method: string, params?: object, meta?: object, capabilities?: object): Message & { readonly id: number } {
    const sent = paramsIn(this.revision, params, meta, capabilities);
    return { jsonrpc: '2.0', id: ++this.#lastId, method, params: sent } as never;
  }

  call(name: string, args?: object, meta?: object, more?: object): Message & { readonly id: number } {
    return this.request('tools/call', { name, arguments: args, ...more }, meta);
  }

  notification(method: string, params?: object): Message {
    return { jsonrpc: '2.0', method, params };
  }

  /** Does the handshake; a modern revision has none. */
  async start(capabilities: object = ABLE): Promise<void> {
    if (this.modern) return;
    const clientInfo = { name: 'recorder', version: '1' };
    const params = { protocolVersion: this.revision, capabilities, clientInfo };
    await this.exchange('initialize', { jsonrpc: '2.0', id: 'begin', method: 'initialize', params });
    await this.exchange('initialized', this.notification('notifications/initialized'));
  }

  /** Sends a message and waits for the complete response. */
  async exchange(input: string, message: object | string | Buffer, how?: SendOptions): Promise<Exchange> {
    return (await this.begin(input, message, how)).whole();
  }

  async begin(input: string, message: object | string | Buffer, how: SendOptions = {}): Promise<Open> {
    const text = typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message);
    return this.#client.begin(this.#record(input, text.toString()), text, how);
  }

  /** Shuts the server down while the client listens. */
  async shutDown(input: string): Promise<void> {
    await this.#client.shutDown(this.#record(input, '(the server is shut down)'));
  }

  #record(input: string, sent: string): Exchange {
    const name = `${this.#scenario} / ${input}`;
    const times = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, times);
    const exchange: Exchange = {
      transport: this.transport,
      revision: this.revision,
      input: times === 1 ? name : `${name} (${times})`,
      sent: sent.length > 400 ? `${sent.slice(0, 400)}… (${sent.length} characters)` : sent,
      frames: [],
    };
    this.exchanges.push(exchange);
    return exchange;
  }
}

/** Conditions that are checked again whenever a frame arrives. */
export class Arrivals {
  readonly messages: Message[] = [];
  #wake: (() => void)[] = [];

  add(text: string): void {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = { unreadable: text };
    }
    this.messages.push(...([parsed].flat() as Message[]));
    this.woken();
  }

  woken(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Resolves as soon as a condition holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  /** Yields messages one by one, starting with those that arrive from now on. */
  reader(over: () => boolean = () => false): Open['next'] {
    let given = this.messages.length;
    return async (accepts = () => true) => {
      let found: Message | undefined;
      const look = (): boolean => {
        while (given < this.messages.length) {
          const message = this.messages[given++]!;
          if (!accepts(message)) continue;
          found = message;
          return true;
        }
        return over();
      };
      await comes(this.until(look));
      // Yield a placeholder if none arrives.
      return found ?? { method: '(nothing came)' };
    };
  }
}
