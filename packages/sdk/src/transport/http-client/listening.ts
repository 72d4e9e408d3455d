import { backOff } from '../../client/back-off.ts';
import type { Timer } from '../../client/clock.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { HEADER } from '../../wire/headers.ts';
import { lastEventIdHeader } from '../../wire/last-event-id.ts';
import { type Fields, fly, type HttpLinkOptions } from './fly.ts';
import { GET_FIELDS, isRefusal, MOST_WAIT_MS } from './streams.ts';

/** What the stream of a session needs of its link. */
export interface ListeningHooks {
  /** The fields of the session. */
  fields(): Fields;
  take(event: SseEvent): void;
  /** The server does not know the session any more. */
  gone(): void;
}

/** The stream of a session for what the server sends outside of calls. It is kept open; a server need not have one. */
export class Listening {
  readonly #options: HttpLinkOptions;
  readonly #hooks: ListeningHooks;
  #abort = (): void => {};
  #answered = (): void => {};
  #timer: Timer;
  #lastId = '';
  #failures = 0;
  /** Was it open once? Then the server has such a stream. */
  #opened = false;
  #over = false;

  constructor(options: HttpLinkOptions, hooks: ListeningHooks) {
    this.#options = options;
    this.#hooks = hooks;
  }

  /** Opens it. Resolves when the server has said whether it has one, at the latest after so many milliseconds. */
  open(ms: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const late = clock.setTimeout(resolve, ms);
      this.#answered = () => {
        clock.clearTimeout(late);
        resolve();
      };
      this.#connect();
    });
  }

  stop(): void {
    this.#over = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#abort();
    this.#answered();
  }

  #connect(): void {
    const fields: Record<string, string> = { ...GET_FIELDS, ...this.#hooks.fields() };
    const from = this.#lastId === '' ? undefined : lastEventIdHeader(this.#lastId);
    if (from === undefined) this.#lastId = '';
    else fields[HEADER.lastEventId] = from;
    this.#abort = fly(
      this.#options,
      { method: 'GET', fields },
      {
        head: (status, header) => {
          this.#answered();
          this.#judge(status, (header('content-type') ?? '').startsWith('text/event-stream'));
        },
        body() {},
        event: (event) => {
          this.#lastId = event.id;
          this.#hooks.take(event);
        },
        end: ({ retry }) => {
          this.#answered();
          this.#again(retry);
        },
      },
    );
  }

  #judge(status: number, streams: boolean): void {
    if (status < 300 && streams) {
      this.#opened = true;
      this.#failures = 0;
    } else if (status === 405) this.#over = true;
    // It cannot be resumed, so it goes on from now.
    else if (isRefusal(status) && this.#lastId !== '') this.#lastId = '';
    else if (!this.#opened) this.#over = isRefusal(status) || status < 300;
    // The stream was open before, so any other refusal is temporary: a proxy may answer while the server is being replaced.
    else if (status === 404) this.#hooks.gone();
  }

  #again(retry: number | undefined): void {
    if (this.#over) return;
    this.#failures++;
    const wait = Math.min(retry ?? backOff(this.#failures), MOST_WAIT_MS);
    this.#timer = this.#options.clock.setTimeout(() => this.#connect(), wait);
  }
}
