import { backOff } from '../../client/back-off.ts';
import type { Timer } from '../../client/clock.ts';
import { CODE } from '../../protocol/errors.ts';
import { isObject, type Request } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { HEADER } from '../../wire/headers.ts';
import { encodeJson } from '../../wire/json.ts';
import { lastEventIdHeader } from '../../wire/last-event-id.ts';
import { parseText } from '../../wire/parse-text.ts';
import { type Fields, fly, type HttpLinkOptions } from './fly.ts';
import type { Unreadable } from './read-answer.ts';
import { GET_FIELDS, isRefusal, MOST_WAIT_MS } from './streams.ts';

/** What the stream of a session needs of its link. */
export interface ListeningHooks {
  /** The fields of the session: of a GET, or of the POST that carries a message. */
  fields(message?: Request): Fields;
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
  /** Was it refused with a status that means either that the server has no such stream, or that it has forgotten the session? */
  #doubtful = false;
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
          if (this.#doubtful) this.#ask();
          else this.#again(retry);
        },
      },
    );
  }

  /** Finds out which by a ping. A session that was forgotten before its stream was open has to be renewed; nothing else may ever be sent in it. */
  #ask(): void {
    this.#doubtful = false;
    const ping: Request = { jsonrpc: '2.0', id: `listening-${crypto.randomUUID()}`, method: 'ping' };
    this.#abort = fly(
      this.#options,
      { method: 'POST', fields: this.#hooks.fields(ping), body: encodeJson(ping) },
      {
        head: (status) => {
          if (status !== 404 && (status < 300 || isRefusal(status))) this.#over = true;
        },
        body: (body, status) => {
          if (status !== 404) return;
          if (isUnknownMethod(body, this.#options.limits)) this.#over = true;
          else this.#hooks.gone();
        },
        event() {},
        end: () => this.#again(undefined),
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
    else if (!this.#opened && status === 404 && Object.hasOwn(this.#hooks.fields(), HEADER.session))
      this.#doubtful = true;
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

/** Is this an error that only a server which knows the session gives? */
function isUnknownMethod(body: string | Unreadable, limits: Limits): boolean {
  const parsed = typeof body === 'string' ? parseText(body, limits) : undefined;
  if (parsed === undefined || 'problem' in parsed || !isObject(parsed.value)) return false;
  const { error } = parsed.value;
  return isObject(error) && error['code'] === CODE.methodNotFound;
}
