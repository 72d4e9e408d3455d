import { backOff } from '../../client/back-off.ts';
import type { Timer } from '../../client/clock.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { HEADER } from '../../wire/headers.ts';
import { type Fields, fly, type HttpLinkOptions } from './fly.ts';

/** Fields of a request for a stream. */
export const GET_FIELDS: Fields = { accept: 'text/event-stream' };
/** The longest wait a server can ask for, in milliseconds. */
export const MOST_WAIT_MS = 5 * 60_000;

/** A status with which a server says that it does not do this, and will not. */
export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The stream of a session for what the server sends by itself. It is kept open; that there is none is normal. */
export class Listening {
  readonly #options: HttpLinkOptions;
  readonly #fields: () => Fields;
  readonly #take: (event: SseEvent) => void;
  #abort = (): void => {};
  #timer: Timer;
  #lastId = '';
  #failures = 0;
  #over = false;

  /** `fields` are those of the session. */
  constructor(options: HttpLinkOptions, fields: () => Fields, take: (event: SseEvent) => void) {
    this.#options = options;
    this.#fields = fields;
    this.#take = take;
  }

  /** Opens it. `answered` is called when the server has said whether there is one. */
  open(answered: () => void = () => {}): void {
    const fields: Record<string, string> = { ...GET_FIELDS, ...this.#fields() };
    if (this.#lastId !== '') fields[HEADER.lastEventId] = this.#lastId;
    this.#abort = fly(
      this.#options,
      { method: 'GET', fields },
      {
        head: (status, header) => {
          answered();
          this.#judge(status, (header('content-type') ?? '').startsWith('text/event-stream'));
        },
        body() {},
        event: (event) => {
          this.#lastId = event.id;
          this.#take(event);
        },
        end: ({ retry }) => {
          answered();
          this.#again(retry);
        },
      },
    );
  }

  stop(): void {
    this.#over = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#abort();
  }

  #judge(status: number, streams: boolean): void {
    // It cannot be resumed: from now on, then.
    if (status === 400 && this.#lastId !== '') this.#lastId = '';
    else if (isRefusal(status) || (status < 300 && !streams)) this.#over = true;
    else if (status < 300) this.#failures = 0;
  }

  #again(retry: number | undefined): void {
    if (this.#over) return;
    this.#failures++;
    const wait = Math.min(retry ?? backOff(this.#failures), MOST_WAIT_MS);
    this.#timer = this.#options.clock.setTimeout(() => this.open(), wait);
  }
}
