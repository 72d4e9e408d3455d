import { ReopenDelays } from '../../client/reopen-delays.ts';
import type { Timer } from '../../client/clock.ts';
import { Pace } from '../../client/pace.ts';
import { CODE } from '../../protocol/errors.ts';
import { isObject, type Request } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { HEADER } from '../../wire/headers.ts';
import { encodeJson } from '../../wire/json.ts';
import { lastEventIdHeader } from '../../wire/last-event-id.ts';
import { parseText } from '../../wire/parse-text.ts';
import type { HttpSender, Fields } from './http-sender.ts';
import type { UnreadableAnswer } from './read-answer.ts';
import { NOT_SENT } from './send.ts';
import { GET_FIELDS, isPermanentRefusal } from './stream-requests.ts';

/** The functions of the transport that the stream calls. */
export interface SessionStreamHooks {
  /** The header fields of the session, for a GET or for the POST of a message. */
  fields(message?: Request): Fields;
  take(event: SseEvent): void;
  /** The server has forgotten the session. */
  gone(): void;
}

/** The stream of a session for messages outside of calls, which is opened again when it ends. Servers need not support it. */
export class SessionStream {
  readonly #sender: HttpSender;
  readonly #hooks: SessionStreamHooks;
  #sent = NOT_SENT;
  #onAnswer = (): void => {};
  #timer: Timer;
  #lastId = '';
  readonly #delays = new ReopenDelays();
  readonly #pace: Pace;
  /** When it was last opened; undefined if that failed. */
  #openedAt: number | undefined;
  /** Was it open before? Then the server supports it. */
  #opened = false;
  /** Was it refused with a status that means either that the server does not support it, or that it has forgotten the session? */
  #needsPing = false;
  #stopped = false;

  constructor(sender: HttpSender, hooks: SessionStreamHooks) {
    this.#sender = sender;
    this.#hooks = hooks;
    this.#pace = new Pace(sender.options.clock);
  }

  /** Opens it. Resolves when the server has answered, at the latest after `ms` milliseconds. */
  open(ms: number): Promise<void> {
    const { clock } = this.#sender.options;
    return new Promise((resolve) => {
      const late = clock.setTimeout(resolve, ms);
      this.#onAnswer = () => {
        clock.clearTimeout(late);
        resolve();
      };
      this.#connect();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#sender.options.clock.clearTimeout(this.#timer);
    this.#sent.abort();
    this.#onAnswer();
  }

  #connect(): void {
    const fields: Record<string, string> = { ...GET_FIELDS, ...this.#hooks.fields() };
    const from = this.#lastId === '' ? undefined : lastEventIdHeader(this.#lastId);
    if (from === undefined) this.#lastId = '';
    else fields[HEADER.lastEventId] = from;
    this.#sent = this.#sender.send(
      { method: 'GET', fields },
      {
        head: (answer) => {
          this.#onAnswer();
          this.#onStatus(answer.status, (answer.header('content-type') ?? '').startsWith('text/event-stream'));
        },
        body() {},
        event: (event) => {
          this.#lastId = event.id;
          this.#hooks.take(event);
        },
        end: ({ retry }) => {
          this.#onAnswer();
          if (this.#needsPing) this.#ping();
          else this.#reconnectLater(retry);
        },
      },
    );
  }

  /** Finds out by a ping whether the session exists. A forgotten session has to be renewed, and perhaps no other request would notice it. */
  #ping(): void {
    this.#needsPing = false;
    const ping: Request = { jsonrpc: '2.0', id: `listening-${crypto.randomUUID()}`, method: 'ping' };
    this.#sent = this.#sender.send(
      { method: 'POST', fields: this.#hooks.fields(ping), body: encodeJson(ping) },
      {
        head: ({ status }) => {
          if (status !== 404 && (status < 300 || isPermanentRefusal(status))) this.#stopped = true;
        },
        body: (body, status) => {
          if (status !== 404) return;
          if (isUnknownMethod(body, this.#sender.options.limits)) this.#stopped = true;
          else this.#hooks.gone();
        },
        event() {},
        end: () => this.#reconnectLater(undefined),
      },
    );
  }

  #onStatus(status: number, isStream: boolean): void {
    if (status < 300 && isStream) {
      this.#opened = true;
      this.#openedAt = this.#sender.options.clock.now();
    } else if (status === 405) this.#stopped = true;
    // It cannot be resumed, so it continues without the missed events.
    else if (isPermanentRefusal(status) && this.#lastId !== '') this.#lastId = '';
    else if (!this.#opened && status === 404 && Object.hasOwn(this.#hooks.fields(), HEADER.session))
      this.#needsPing = true;
    else if (!this.#opened) this.#stopped = isPermanentRefusal(status) || status < 300;
    // The stream was open before, so any other refusal is temporary: a proxy may answer while the server is being replaced.
    else if (status === 404) this.#hooks.gone();
  }

  #reconnectLater(retry: number | undefined): void {
    if (this.#stopped) return;
    const { clock } = this.#sender.options;
    const uptime = this.#openedAt === undefined ? 0 : clock.now() - this.#openedAt;
    this.#openedAt = undefined;
    const delay = this.#delays.next(uptime, retry);
    // A stream that was open is reopened after the server's delay. One that was refused is reopened no sooner than the own delay.
    const wanted = retry === undefined || uptime === 0 ? delay : retry;
    this.#timer = clock.setTimeout(() => this.#connect(), this.#pace.next(wanted));
  }
}

/** Is this a `method not found` error? Only a server that knows the session sends it. */
function isUnknownMethod(body: string | UnreadableAnswer, limits: Limits): boolean {
  const parsed = typeof body === 'string' ? parseText(body, limits) : undefined;
  if (parsed === undefined || 'problem' in parsed || !isObject(parsed.value)) return false;
  const { error } = parsed.value;
  return isObject(error) && error['code'] === CODE.methodNotFound;
}
