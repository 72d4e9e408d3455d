import type { Clock } from '../../client/clock.ts';
import type { Channel, ChannelProblem } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';
import { createInbox } from '../inbox.ts';
import { HttpSender, type HttpTransportOptions } from './http-sender.ts';
import { NOT_SENT } from './send.ts';

/** How long to wait for the `endpoint` event, in milliseconds. */
const ENDPOINT_MS = 10_000;
/** How long the server may take to accept a message, in milliseconds. */
const POST_MS = 10_000;
/** How long a message waits for the one before it, in milliseconds: a connection on which nothing arrives must not hold up all others. */
const ORDER_MS = 1_000;

/**
 * Opens a connection over HTTP+SSE (2024-11-05): the server's messages arrive on an event stream, and the client's messages are posted to the
 * URL in its first event. A URL of another origin is refused, because it would get the credentials.
 */
export async function openSseChannel(options: HttpTransportOptions): Promise<Channel> {
  const { url, clock } = options;
  const inbox = createInbox<string | ChannelProblem>({ start() {}, empty() {}, stop() {} });
  let sent = NOT_SENT;
  let closed = false;
  const endpoint = await new Promise<string>((resolve, reject) => {
    const timer = clock.setTimeout(() => {
      sent.abort();
      reject(new ConnectionError('not-mcp', `no endpoint event for ${ENDPOINT_MS} ms`));
    }, ENDPOINT_MS);
    const fail = (error: ConnectionError): void => {
      clock.clearTimeout(timer);
      reject(error);
      inbox.end(error);
    };
    let known = false;
    sent = new HttpSender(options).send(
      { method: 'GET', fields: { accept: 'text/event-stream' } },
      {
        head(answer) {
          const { status } = answer;
          const type = answer.header('content-type') ?? '';
          if (status < 300 && type.startsWith('text/event-stream')) return;
          sent.abort();
          fail(new ConnectionError('http-status', `GET was answered with status ${status}`, { status }));
        },
        body() {},
        event({ kind, event, data }) {
          if (kind === 'invalid') return void inbox.push({ problem: 'An event of the stream is not valid UTF-8' });
          if (event === 'message' && known) return void inbox.push(data);
          if (event !== 'endpoint' || known) return undefined;
          const endpointUrl = endpointOf(data, url);
          if (endpointUrl === undefined) {
            sent.abort();
            return fail(
              new ConnectionError(
                'not-mcp',
                `the endpoint event names '${shown(data, 100)}', which is not a URL of this server`,
              ),
            );
          }
          known = true;
          clock.clearTimeout(timer);
          return resolve(endpointUrl);
        },
        end({ error }) {
          const gone = new ConnectionError(
            'disconnected',
            `The server's stream ended${error === undefined ? '' : `: ${shown(error.message)}`}`,
            { cause: error },
          );
          if (known) inbox.end(closed ? undefined : gone);
          else fail(gone);
        },
      },
    );
  });

  const fields = { 'content-type': 'application/json', accept: 'application/json' };
  const sender = new HttpSender({ ...options, url: endpoint, server: url });
  /** Give up the posts that the server has not accepted. */
  const posts = new Set<(reason: string) => void>();
  const post = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      let status = 0;
      let request = NOT_SENT;
      const settle = (error?: ConnectionError): void => {
        posts.delete(giveUp);
        clock.clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      const giveUp = (reason: string): void => {
        request.abort();
        settle(postError(reason, true));
      };
      const timer = clock.setTimeout(() => giveUp(`no answer for ${POST_MS} ms`), POST_MS);
      posts.add(giveUp);
      if (closed) return giveUp('the connection is closed');
      request = sender.send(
        { method: 'POST', fields, body: text },
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

  /** Messages are posted one after the other, to keep their order. */
  let last: Promise<void> = Promise.resolve();
  return {
    send(text) {
      const sent = last.then(() => post(text));
      last = last.then(() => within(clock, ORDER_MS, sent));
      return sent;
    },
    incoming: inbox.items,
    close() {
      closed = true;
      sent.abort();
      // The server may still accept what is on its way.
      const giveUpAll = (): void => {
        for (const giveUp of [...posts]) giveUp('the connection was closed');
      };
      if (posts.size > 0) clock.setTimeout(giveUpAll, ORDER_MS);
      inbox.end();
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
