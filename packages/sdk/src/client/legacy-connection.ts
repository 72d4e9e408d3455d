import { ConnectionError } from '../protocol/errors.ts';
import { isObject, type JsonObject, type Notification } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import { metaOf, PROGRESS_TOKEN, withMeta } from '../protocol/meta.ts';
import { featuresOf } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { type DecodeOptions, decodeResult } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode-params.ts';
import type { SuspendedCall } from './server-question.ts';
import {
  type ServerConnection,
  deadlineOf,
  reportLeftOut,
  type ConnectionContext,
  requestOptionsOf,
} from './server-connection.ts';
import { sendAndRepeat } from './send-and-repeat.ts';
import type { RequestOptions, RpcConnection } from './rpc-connection.ts';
import { createNotificationHandler, reportUnreadable } from './notifications.ts';
import { createServerRequests, type ServerRequests } from './server-requests.ts';
import { createLegacySubscriptions, type LegacySubscriptions } from './legacy-subscriptions.ts';
import { replaceInbound } from './replace-inbound.ts';
import type { Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** Adds the caller's `_meta` and the progress token to params. */
function paramsWith(
  params: JsonObject | undefined,
  id: number,
  { _meta, onProgress }: CallOptions,
): JsonObject | undefined {
  if (_meta === undefined && onProgress === undefined) return params;
  const progress = onProgress === undefined ? {} : { [PROGRESS_TOKEN]: id };
  return withMeta(params, { ...metaOf(params), ..._meta, ...progress });
}

/** A connection in a legacy revision: what `initialize` negotiated holds for every request, and the server may send requests too. */
export class LegacyConnection implements ServerConnection {
  readonly agreement: Agreement;
  readonly rpc: RpcConnection;
  readonly #context: ConnectionContext;
  readonly #decoding: DecodeOptions;
  readonly #subscriptions: LegacySubscriptions;
  readonly #serverRequests: ServerRequests;
  readonly #onNotification: (message: Notification) => void;
  #lastSetLevel: Promise<void> = Promise.resolve();

  constructor(context: ConnectionContext) {
    const { agreement, rpc, settings, report } = context;
    const { revision, capabilities } = agreement;
    this.agreement = agreement;
    this.rpc = rpc;
    this.#context = context;
    this.#decoding = { report: reportLeftOut(report) };
    this.#subscriptions = createLegacySubscriptions(context, (method, uri) => this.raw(method, { uri }, {}));
    this.#serverRequests = createServerRequests(context);
    this.#onNotification = createNotificationHandler(settings, report);
    replaceInbound(rpc, {
      batch: featuresOf(revision).batch,
      request: this.#serverRequests.take,
      notification: (message) => this.#handleNotification(message),
      unreadable: reportUnreadable(report),
      raw: (method, params) => this.raw(method, params, {}),
    });
    void rpc.ended.then(this.#serverRequests.stop);
    if (settings.logLevel !== undefined && capabilities.logging !== undefined) {
      this.setLogLevel(settings.logLevel).catch((error: unknown) =>
        report('warn', 'log-level', 'The server did not accept the log level', error),
      );
    }
  }

  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { revision } = this.agreement;
    return this.raw(method, encodeParams(method, params, revision), options).then((result) =>
      // The response to a call as a task.
      isObject(params['task']) && isObject(result['task'])
        ? result
        : decodeResult(method, result, revision, this.#decoding),
    );
  }

  async resume({ method }: SuspendedCall): Promise<JsonObject> {
    throw new ConnectionError(
      'unsupported-revision',
      `Only a server of 2026-07-28 can continue ${shown(method, 60)}; this one uses ${this.agreement.revision}`,
      { processed: 'no' },
    );
  }

  raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    const { settings } = this.#context;
    const requestOptions = requestOptionsOf(settings, options, deadlineOf(settings, options));
    const send = (): Promise<JsonObject> => this.#sendOnce(method, params, options, requestOptions);
    return this.rpc.perRequest === undefined
      ? send()
      : sendAndRepeat(this.#context, { method, params, options: requestOptions, send });
  }

  #sendOnce(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    const id = this.rpc.nextId();
    return this.rpc.request(id, method, paramsWith(params, id, options), requestOptions);
  }

  notify(method: string, params: JsonObject | undefined): Promise<void> {
    return this.rpc.notify(method, params);
  }

  setTopics(topics: Topics): void {
    this.#subscriptions.setTopics(topics);
  }

  async ping(options: CallOptions): Promise<void> {
    await this.raw('ping', undefined, options);
  }

  /** One request at a time: over HTTP, a later one could overtake an earlier one. */
  setLogLevel(level: LogLevel): Promise<void> {
    const set = this.#lastSetLevel.then(() => this.raw('logging/setLevel', { level }, {}));
    this.#lastSetLevel = set.then(
      () => {},
      () => {},
    );
    return set.then(() => {});
  }

  async rootsChanged(): Promise<void> {
    await this.rpc.notify('notifications/roots/list_changed');
  }

  #handleNotification(message: Notification): void {
    if (message.method === 'notifications/cancelled') this.#serverRequests.cancel(message.params);
    else if (!this.#subscriptions.handleNotification(message)) this.#onNotification(message);
  }
}
