// Channels: memory, the stdin and stdout of a child process, and the stream of HTTP+SSE. All messages arrive in one order; each is recorded
// with the last message that was sent before it.
import type { Revision } from 'tenon';
import type { Exchange } from './exchange.ts';
import { isAnswer, isRequest, type Message, messagesIn, MODERN, paramsIn } from './message.ts';
import { Arrivals, type Client, comes, type SendOptions, type Open } from './conversation.ts';

/** How texts are sent on a channel. */
export interface Connection {
  /** Resolves when the connection has accepted the text, with whether the server will receive it: HTTP+SSE rejects some itself. */
  send(text: string, exchange: Exchange | undefined, how: SendOptions): Promise<boolean>;
  /** The message in a received frame. */
  messageOf(frame: string): string | undefined;
  /** Shuts the server down, and resolves when nothing more can arrive. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const FENCE = /^recorder-fence-\d+$/;

export class ChannelClient implements Client {
  readonly #revision: Revision;
  readonly #arrivals = new Arrivals();
  readonly #fences = new Set<string>();
  #connection: Connection | undefined;
  #current: Exchange | undefined;
  #lastFence = 0;
  #ended = false;

  constructor(revision: Revision) {
    this.#revision = revision;
  }

  set connection(connection: Connection) {
    this.#connection = connection;
  }

  /** Handles a received frame. */
  readonly receive = (frame: string): void => {
    const text = this.#connection?.messageOf(frame) ?? frame;
    const { id } = (messagesIn(text)[0] ?? {}) as Message;
    if (typeof id === 'string' && FENCE.test(id)) {
      this.#fences.add(id);
      return this.#arrivals.woken();
    }
    this.#current?.frames.push(frame);
    this.#arrivals.add(text);
  };

  async begin(exchange: Exchange, sent: string | Buffer, how: SendOptions): Promise<Open> {
    this.#current = exchange;
    const text = sent.toString();
    const before = this.#arrivals.messages.length;
    const next = this.#arrivals.reader();
    const taken = await this.#send(text, exchange, how);
    return {
      next,
      whole: async () => {
        // Frames received before this message was sent belong to earlier ones.
        if (taken && !(await comes(this.#arrivals.until(() => this.#isAnswered(text, before)))))
          exchange.frames.push('(the recorder waited in vain for an answer)');
        await this.#fence(exchange);
        return exchange;
      },
      // On a channel there is no response stream to leave.
      drop: () => this.#fence(exchange),
    };
  }

  #isAnswered(text: string, before: number): boolean {
    const requests = messagesIn(text).filter(isRequest);
    if (requests.length === 0) return true;
    const answers = this.#arrivals.messages.slice(before).filter(isAnswer);
    // One error may answer everything: a batch that is rejected, or an unreadable id.
    return answers.some(({ id }) => id === undefined || id === null || requests.some((request) => request.id === id));
  }

  /** A closed connection is recorded, too. */
  async #send(text: string, exchange: Exchange | undefined, how: SendOptions): Promise<boolean> {
    try {
      return await this.#connection!.send(text, exchange, how);
    } catch (error) {
      this.#ended = true;
      exchange?.frames.push(`(could not be sent: ${error instanceof Error ? error.message : String(error)})`);
      return false;
    }
  }

  /** Sends a request that is answered at once, and waits for the response: by then the effects of earlier messages have arrived. */
  async #fence(exchange: Exchange): Promise<void> {
    if (this.#ended) return;
    const id = `recorder-fence-${++this.#lastFence}`;
    const method = this.#revision === MODERN ? 'server/discover' : 'ping';
    const params = paramsIn(this.#revision, undefined);
    await this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), undefined, {});
    if (!(await comes(this.#arrivals.until(() => this.#fences.has(id)))))
      exchange.frames.push('(the connection answers nothing any more)');
  }

  async shutDown(exchange: Exchange): Promise<void> {
    this.#current = exchange;
    this.#ended = true;
    if (!(await comes(this.#connection!.end()))) exchange.frames.push('(the connection did not end)');
  }

  async close(): Promise<void> {
    await this.#connection!.close();
  }
}
