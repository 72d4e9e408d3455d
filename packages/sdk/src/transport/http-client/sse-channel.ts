import type { Channel, ChannelProblem } from '../../protocol/channel.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import { shown } from '../../protocol/text.ts';
import { createInbox } from '../inbox.ts';
import { HttpSender, type HttpTransportOptions } from './http-sender.ts';
import { NOT_SENT } from './send.ts';

/** How long to wait for the `endpoint` event, in milliseconds. */
const ENDPOINT_MS = 10_000;

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
  const post = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      let status = 0;
      sender.send(
        { method: 'POST', fields, body: text },
        {
          head(answer) {
            ({ status } = answer);
          },
          body() {},
          event() {},
          end({ error }) {
            if (error !== undefined)
              reject(
                new ConnectionError('unreachable', `The message could not be posted: ${shown(error.message)}`, {
                  cause: error,
                }),
              );
            else if (status >= 300)
              reject(
                new ConnectionError('http-status', `The server refused the message with status ${status}`, { status }),
              );
            else resolve();
          },
        },
      );
    });

  /** Messages are posted one after the other, to keep their order. */
  let last: Promise<void> = Promise.resolve();
  return {
    send(text) {
      const sent = last.then(() => post(text));
      last = sent.catch(() => {});
      return sent;
    },
    incoming: inbox.items,
    close() {
      closed = true;
      sent.abort();
      inbox.end();
    },
  };
}

function endpointOf(text: string, base: string): string | undefined {
  try {
    const found = new URL(text.trim(), base);
    return found.origin === new URL(base).origin ? found.href : undefined;
  } catch {
    return undefined;
  }
}
