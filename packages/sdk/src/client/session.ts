import { ConnectionError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import { metaOf, PROGRESS_TOKEN } from '../protocol/meta.ts';
import { featuresOf } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { type DecodeOptions, decodeResult } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode-params.ts';
import type { SuspendedCall } from './asked.ts';
import { type Conversation, lastOf, leftOut, type Opening, repeated, termsOf } from './conversation.ts';
import type { Calls } from './correlate.ts';
import { createNotices, unreadable } from './notices.ts';
import { createServerRequests, type ServerRequests } from './server-requests.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { takeCharge } from './take-charge.ts';
import type { Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** Params with the `_meta` a caller asked for. */
const withMeta = (
  params: JsonObject | undefined,
  id: number,
  { _meta, onProgress }: CallOptions,
): JsonObject | undefined => {
  if (_meta === undefined && onProgress === undefined) return params;
  const progress = onProgress === undefined ? {} : { [PROGRESS_TOKEN]: id };
  return { ...params, _meta: { ...metaOf(params), ..._meta, ...progress } };
};

/** A connection on a revision with a handshake: what was agreed holds for every request, and the server sends requests too. */
export class Session implements Conversation {
  readonly agreement: Agreement;
  readonly calls: Calls;
  readonly #opening: Opening;
  readonly #decoding: DecodeOptions;
  readonly #subscriptions: Subscriptions;
  readonly #requests: ServerRequests;
  readonly #notices: (message: Notification) => void;
  #levelSet: Promise<void> = Promise.resolve();

  constructor(opening: Opening) {
    const { agreement, calls, settings, report } = opening;
    const { revision, capabilities } = agreement;
    this.agreement = agreement;
    this.calls = calls;
    this.#opening = opening;
    this.#decoding = { report: leftOut(report) };
    this.#subscriptions = createSubscriptions(opening, (method, uri) => this.raw(method, { uri }, {}));
    this.#requests = createServerRequests(opening);
    this.#notices = createNotices(settings, report);
    takeCharge(calls, {
      batch: featuresOf(revision).batch,
      request: this.#requests.take,
      notification: (message) => this.#notice(message),
      unreadable: unreadable(report),
    });
    void calls.ended.then(this.#requests.stop);
    if (settings.logLevel !== undefined && capabilities.logging !== undefined) {
      this.setLogLevel(settings.logLevel).catch((error: unknown) =>
        report('warn', 'log-level', 'The server did not take the log level', error),
      );
    }
  }

  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { revision } = this.agreement;
    return this.raw(method, encodeParams(method, params, revision), options).then((result) =>
      decodeResult(method, result, revision, this.#decoding),
    );
  }

  async resume({ method }: SuspendedCall): Promise<JsonObject> {
    throw new ConnectionError(
      `Only a server that speaks 2026-07-28 can go on with ${shown(method, 60)}; this one speaks ${this.agreement.revision}`,
      { processed: 'no' },
    );
  }

  raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    const { settings } = this.#opening;
    const terms = termsOf(settings, options, lastOf(settings, options));
    return repeated(this.#opening, method, params, () => {
      const id = this.calls.nextId();
      return this.calls.request(id, method, withMeta(params, id, options), terms);
    });
  }

  follow(topics: Topics): void {
    this.#subscriptions.follow(topics);
  }

  async ping(options: CallOptions): Promise<void> {
    await this.raw('ping', undefined, options);
  }

  /** One after the other: where messages travel one by one, the later could come first. */
  setLogLevel(level: LogLevel): Promise<void> {
    const set = this.#levelSet.then(() => this.raw('logging/setLevel', { level }, {}));
    this.#levelSet = set.then(
      () => {},
      () => {},
    );
    return set.then(() => {});
  }

  async rootsChanged(): Promise<void> {
    await this.calls.notify('notifications/roots/list_changed');
  }

  #notice(message: Notification): void {
    if (message.method === 'notifications/cancelled') this.#requests.cancel(message.params);
    else if (!this.#subscriptions.take(message)) this.#notices(message);
  }
}
