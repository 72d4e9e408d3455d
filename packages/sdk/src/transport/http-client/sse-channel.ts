import type { Clock, Timer } from '../../client/clock.ts';
import type { Channel, ChannelProblem } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { Inbox } from '../inbox.ts';
import { HttpSender, type HttpTransportOptions } from './http-sender.ts';
import type { AnswerEvents, AnswerEnd } from './read-answer.ts';
import { type AnswerHead, NOT_SENT } from './send.ts';

/** How long to wait for the `endpoint` event, in milliseconds. */
const ENDPOINT_MS = 10_000;
/** How long a message waits for the one before it, in milliseconds: a connection on which nothing arrives must not hold up all others. */
const ORDER_MS = 1_000;

const POST_FIELDS = { 'content-type': 'application/json', accept: 'application/json' };

/** The server's event stream. Its first event is the URL to post messages to; the following ones are messages. */
class ServerStream implements AnswerEvents {
  readonly inbox = new Inbox<string | ChannelProblem>();
  /** The URL in the first event. Rejects if there is none that can be used. */
  readonly endpoint: Promise<string>;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #resolve!: (endpoint: string) => void;
  #reject!: (error: ConnectionError) => void;
  #sent = NOT_SENT;
  #isReady = false;
  #closed = false;

  constructor(options: HttpTransportOptions) {
    this.#url = options.url;
    this.#clock = options.clock;
    this.endpoint = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = this.#clock.setTimeout(() => {
      this.#sent.abort();
      this.#reject(new ConnectionError('not-mcp', `no endpoint event for ${ENDPOINT_MS} ms`));
    }, ENDPOINT_MS);
    this.#sent = new HttpSender(options).send({ method: 'GET', fields: { accept: 'text/event-stream' } }, this);
  }

  head(answer: AnswerHead): void {
    const { status } = answer;
    const type = answer.header('content-type') ?? '';
    if (status < 300 && type.startsWith('text/event-stream')) return;
    this.#sent.abort();
    this.#fail(new ConnectionError('http-status', `GET was answered with status ${status}`, { status }));
  }

  body(): void {}

  event({ kind, event, data }: SseEvent): void {
    if (kind === 'invalid') return void this.inbox.push({ problem: 'An event of the stream is not valid UTF-8' });
    if (event === 'message' && this.#isReady) return void this.inbox.push(data);
    if (event !== 'endpoint' || this.#isReady) return undefined;
    const endpoint = endpointOf(data, this.#url);
    if (endpoint === undefined) {
      this.#sent.abort();
      const found = `'${shown(data, 100)}', which is not a URL of this server`;
      return this.#fail(new ConnectionError('not-mcp', `the endpoint event names ${found}`));
    }
    this.#isReady = true;
    this.#clock.clearTimeout(this.#timer);
    return this.#resolve(endpoint);
  }

  end({ error }: AnswerEnd): void {
    const reason = error === undefined ? '' : `: ${shown(error.message)}`;
    const gone = new ConnectionError('disconnected', `The server's stream ended${reason}`, { cause: error });
    if (this.#isReady) this.inbox.end(this.#closed ? undefined : gone);
    else this.#fail(gone);
  }

  /** Before the first event: the connection cannot be opened. */
  #fail(error: ConnectionError): void {
    this.#clock.clearTimeout(this.#timer);
    this.#reject(error);
    this.inbox.end(error);
  }

  abort(): void {
    this.#closed = true;
    this.#sent.abort();
  }
}

/** Posts messages one after the other, to keep their order. */
class MessagePosts {
  readonly #clock: Clock;
  readonly #sender: HttpSender;
  /** Functions that abort the posts that the server has not accepted. */
  readonly #pending = new Set<(reason: string) => void>();
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: HttpTransportOptions) {
    this.#clock = options.clock;
    this.#sender = new HttpSender(options);
  }

  send(text: string): Promise<void> {
    const sent = this.#last.then(() => this.#post(text));
    this.#last = this.#last.then(() => within(this.#clock, ORDER_MS, sent));
    return sent;
  }

  close(): void {
    this.#closed = true;
    // The server may still accept messages that are on their way.
    const giveUpAll = (): void => {
      for (const giveUp of [...this.#pending]) giveUp('the connection was closed');
    };
    if (this.#pending.size > 0) this.#clock.setTimeout(giveUpAll, ORDER_MS);
  }

  #post(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      let status = 0;
      let request = NOT_SENT;
      const { timeout } = this.#sender.options;
      const settle = (error?: ConnectionError): void => {
        this.#pending.delete(giveUp);
        this.#clock.clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      const giveUp = (reason: string): void => {
        request.abort();
        settle(postError(reason, true));
      };
      const timer = this.#clock.setTimeout(() => giveUp(`no answer for ${timeout} ms`), timeout);
      this.#pending.add(giveUp);
      if (this.#closed) return giveUp('the connection is closed');
      request = this.#sender.send(
        { method: 'POST', fields: POST_FIELDS, body: text },
        {
          head(answer) {
            ({ status } = answer);
          },
          body() {},
          event() {},
          end({ error, delivered }) {
            if (error !== undefined) settle(postError(shown(error.message), delivered, error));
            else settle(status >= 300 ? refusedError(status) : undefined);
          },
        },
      );
      return undefined;
    });
  }
}

/**
 * Opens a connection over HTTP+SSE (2024-11-05): the server's messages arrive on an event stream, and the client's messages are posted to the
 * URL in its first event. A URL of another origin is refused, because it would get the credentials.
 */
export async function openSseChannel(options: HttpTransportOptions): Promise<Channel> {
  const stream = new ServerStream(options);
  const posts = new MessagePosts({ ...options, url: await stream.endpoint, server: options.url });
  return {
    send: (text) => posts.send(text),
    incoming: stream.inbox.items,
    close() {
      stream.abort();
      posts.close();
      stream.inbox.end();
    },
  };
}

function postError(reason: string, delivered: boolean, cause?: Error): ConnectionError {
  const processed = delivered ? 'unknown' : 'no';
  return new ConnectionError('unreachable', `The message could not be posted: ${reason}`, { cause, processed });
}

function refusedError(status: number): ConnectionError {
  const processed = status < 500 ? 'no' : 'unknown';
  return new ConnectionError('http-status', `The server refused the message with status ${status}`, {
    status,
    processed,
  });
}

/** Resolves when a promise has settled, at the latest after `ms` milliseconds. */
function within(clock: Clock, ms: number, settling: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(resolve, ms);
    const settled = (): void => {
      clock.clearTimeout(timer);
      resolve();
    };
    settling.then(settled, settled);
  });
}

function endpointOf(text: string, base: string): string | undefined {
  try {
    const found = new URL(text.trim(), base);
    return found.origin === new URL(base).origin ? found.href : undefined;
  } catch {
    return undefined;
  }
}
