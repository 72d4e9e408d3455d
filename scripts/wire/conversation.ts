// A conversation with one server on one transport in one revision. It waits for states only: a message that was asked for, the end of an
// answer. Nothing is recorded because some time has passed.
import type { Revision } from 'tenon';
import type { Exchange, Transport } from './exchange.ts';
import { ABLE, type Headers, type Message, MODERN, paramsIn } from './message.ts';

/** How a message is sent over HTTP; on a channel only the text counts. */
export interface How {
  readonly method?: string;
  readonly path?: string;
  /** Instead of those that go with the message: `undefined` leaves one out. */
  readonly headers?: Headers;
  /** Only these, and none that go with the message. */
  readonly onlyHeaders?: Headers;
  /** No body at all. */
  readonly noBody?: boolean;
}

/** An exchange that is going on. */
export interface Open {
  /** The next message that a condition accepts, among those that were not looked at yet. */
  next(accepts?: (message: Message) => boolean): Promise<Message>;
  /** Waits until all of it has come. */
  whole(): Promise<Exchange>;
  /** Leaves the answer. */
  drop(): Promise<void>;
}

/** The client of one conversation: sends messages and records what comes. */
export interface Client {
  begin(exchange: Exchange, text: string | Buffer, how: How): Promise<Open>;
  /** What is left comes: the server is shut down while the client still listens. */
  shutDown(exchange: Exchange): Promise<void>;
  close(): Promise<void>;
}

/** How long a message that has to come may take, in milliseconds. Only a build that loses messages waits that long. */
const PATIENCE_MS = 15_000;
const SHORT_PATIENCE_MS = 500;
let lost = 0;

/** Waits for what has to come; false where it does not. After a few that were lost the patience is short: the builds differ anyway. */
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

  /** Does each message have an answer of its own? */
  get http(): boolean {
    return /^(?:http|fetch)/.test(this.transport);
  }

  get stateless(): boolean {
    return this.transport.endsWith('-stateless');
  }

  request(method: string, params?: object, meta?: object, capabilities?: object): Message & { readonly id: number } {
    const sent = paramsIn(this.revision, params, meta, capabilities);
    return { jsonrpc: '2.0', id: ++this.#lastId, method, ...(sent && { params: sent }) } as never;
  }

  call(name: string, args?: object, meta?: object, more?: object): Message & { readonly id: number } {
    return this.request('tools/call', { name, ...(args && { arguments: args }), ...more }, meta);
  }

  notification(method: string, params?: object): Message {
    return { jsonrpc: '2.0', method, ...(params && { params }) };
  }

  /** Agrees on the revision; nothing is to be agreed on in a modern one. */
  async start(capabilities: object = ABLE): Promise<void> {
    if (this.modern) return;
    const clientInfo = { name: 'recorder', version: '1' };
    const params = { protocolVersion: this.revision, capabilities, clientInfo };
    await this.exchange('initialize', { jsonrpc: '2.0', id: 'begin', method: 'initialize', params });
    await this.exchange('initialized', this.notification('notifications/initialized'));
  }

  /** Sends and waits for all of the answer. */
  async exchange(input: string, message: object | string | Buffer, how?: How): Promise<Exchange> {
    return (await this.begin(input, message, how)).whole();
  }

  async begin(input: string, message: object | string | Buffer, how: How = {}): Promise<Open> {
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

/** Something to wait for that is looked at again whenever something came. */
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

  /** Settles as soon as something holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#wake.push(resolve));
  }

  /** Gives the messages one by one, from those on that come after now. */
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
      // Where none comes, one that says so.
      return found ?? { method: '(nothing came)' };
    };
  }
}
