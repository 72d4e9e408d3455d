// Streamable HTTP: each message is a separate request, and each response is recorded separately.
import type { Revision } from 'tenon';
import type { Exchange } from './exchange.ts';
import { type Headers, headersFor } from './message.ts';
import type { Sender } from './send-http.ts';
import { Arrivals, type Client, comes, type SendOptions, type Open } from './conversation.ts';

/** The data of an event, as one text; undefined for a comment. */
export function dataOf(frame: string): string | undefined {
  const lines = frame.split('\n').filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}

/** Splits an event stream into its events, unchanged. */
export function frameSplitter(take: (frame: string) => void): { text(text: string): void; end(): void } {
  let rest = '';
  return {
    text(text) {
      rest += text;
      for (let at = rest.indexOf('\n\n'); at !== -1; at = rest.indexOf('\n\n')) {
        take(rest.slice(0, at));
        rest = rest.slice(at + 2);
      }
    },
    end() {
      if (rest !== '') take(`${rest}(cut off here)`);
    },
  };
}

export class HttpClient implements Client {
  readonly #sender: Sender;
  readonly #revision: Revision;
  readonly #stop: () => Promise<void>;
  /** Open responses, with the callbacks for their end. */
  readonly #open = new Set<Promise<void>>();
  #session: string | undefined;

  constructor(sender: Sender, revision: Revision, stop: () => Promise<void>) {
    this.#sender = sender;
    this.#revision = revision;
    this.#stop = stop;
  }

  async begin(exchange: Exchange, text: string | Buffer, how: SendOptions): Promise<Open> {
    const arrivals = new Arrivals();
    let over = false;
    const next = arrivals.reader(() => over);
    let body = '';
    const frames = frameSplitter((frame) => {
      exchange.frames.push(frame);
      const data = dataOf(frame);
      if (data === undefined || data === '') arrivals.woken();
      else arrivals.add(data);
    });
    let streams = false;
    const take = (piece: string): void => {
      if (streams) return frames.text(piece);
      body += piece;
    };
    let ended!: () => void;
    const end = new Promise<void>((resolve) => (ended = resolve));
    this.#open.add(end);
    const {
      method = 'POST',
      path = '/mcp',
      noBody = method === 'GET' || method === 'DELETE' || method === 'HEAD',
    } = how;
    const drop = this.#sender.send(
      { method, path, headers: this.#headers(text, method, how), body: noBody ? undefined : text },
      {
        head: (status, headers) => {
          exchange.status = status;
          exchange.headers = [...headers];
          const fields = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
          streams = fields.get('content-type')?.startsWith('text/event-stream') === true;
          this.#session ??= fields.get('mcp-session-id');
          arrivals.woken();
        },
        text: take,
        end: (how) => {
          exchange.end = how;
          over = true;
          if (streams && how !== 'left') frames.end();
          if (body !== '') {
            exchange.frames.push(body);
            arrivals.add(body);
          }
          this.#open.delete(end);
          arrivals.woken();
          ended();
        },
      },
    );
    return {
      next,
      async whole() {
        if (await comes(end)) return exchange;
        exchange.frames.push('(the recorder waited in vain for the end of this answer)');
        drop();
        return exchange;
      },
      async drop() {
        drop();
        await end;
      },
    };
  }

  #headers(text: string | Buffer, method: string, { headers, onlyHeaders }: SendOptions): Headers {
    if (onlyHeaders !== undefined) return onlyHeaders;
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    const own = headersFor(method === 'POST' ? text.toString() : '', this.#revision);
    const base = method === 'POST' ? own : { ...own, 'content-type': undefined, accept: 'text/event-stream' };
    return { ...base, ...session, ...headers };
  }

  async shutDown(exchange: Exchange): Promise<void> {
    const closed = this.#stop();
    if (!(await comes(Promise.all([closed, ...this.#open])))) exchange.frames.push('(something did not end)');
    else exchange.frames.push('(everything ended)');
  }

  async close(): Promise<void> {
    this.#sender.close();
    await this.#stop();
  }
}
