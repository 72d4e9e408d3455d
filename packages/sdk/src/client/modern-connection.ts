import { ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import { META, metaOf, PROGRESS_TOKEN, withMeta } from '../protocol/meta.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';
import { claimMeta } from '../wire/write-claim.ts';
import { decodeResult, isInputRequired } from '../wire/decode.ts';
import type { InputRequest } from '../wire/decode-input-required.ts';
import { encodeParams } from '../wire/encode-params.ts';
import type { EncodedMeta } from '../wire/encoded-meta.ts';
import { encodeJson } from '../wire/json.ts';
import { asPeerError, type SuspendedCall } from './server-question.ts';
import {
  type ServerConnection,
  deadlineOf,
  reportLeftOut,
  type SendOptions,
  type ConnectionContext,
  requestOptionsOf,
} from './server-connection.ts';
import { afterUnknown } from './after-unknown.ts';
import { sendAndRepeat } from './send-and-repeat.ts';
import type { RpcConnection, RequestOptions } from './rpc-connection.ts';
import type { ModernSubscriptions } from './modern-subscriptions.ts';
import { createNotificationHandler, reportUnreadable, reportUnsolicited } from './notifications.ts';
import { replaceInbound } from './replace-inbound.ts';
import { isAnnouncement, isEmpty, NO_TOPICS, type Topics } from './topics.ts';
import { withTasks } from './options.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { Agreement, CallOptions } from './types.ts';

/** Decodes the final result of a request. */
type Decode = (method: string, result: JsonObject, options: SendOptions) => JsonObject;

function unchanged(_method: string, result: JsonObject): JsonObject {
  return result;
}

/** Is this the answer to a call that became a task? */
function isTask(method: string, { resultType }: JsonObject): boolean {
  return resultType === 'task' && method === 'tools/call';
}

/** The claim of a request whose answer may be a task. */
function claimTasks(claim: JsonObject): JsonObject {
  const capabilities = claim[META.clientCapabilities] as JsonObject;
  const extensions = withTasks(capabilities['extensions'] as JsonObject | undefined);
  return { ...claim, [META.clientCapabilities]: { ...capabilities, extensions } };
}

/** A connection in a modern revision: there is no handshake, each request carries the client's info and capabilities, and the server sends no requests. */
export class ModernConnection implements ServerConnection {
  readonly agreement: Agreement;
  readonly rpc: RpcConnection;
  readonly #context: ConnectionContext;
  /** Checks a result, and returns it in the format of the newest revision. */
  readonly #decode: Decode;
  #subscriptions: ModernSubscriptions | undefined;
  #topics = NO_TOPICS;
  readonly #onNotification: (message: Notification) => void;
  /** The `_meta` of every request. */
  #claim: EncodedMeta;

  constructor(context: ConnectionContext) {
    const { agreement, rpc, settings, report } = context;
    this.agreement = agreement;
    this.rpc = rpc;
    this.#context = context;
    const decoding = { report: reportLeftOut(report) };
    const declaresTasks = settings.capabilities.extensions?.[TASKS_EXTENSION] != null;
    this.#decode = (method, result, { takesTasks = declaresTasks }) =>
      takesTasks && isTask(method, result) ? result : decodeResult(method, result, agreement.revision, decoding);
    this.#claim = this.#claimWith(settings.logLevel);
    this.#onNotification = createNotificationHandler(settings, report);
    replaceInbound(rpc, {
      batch: false,
      request: ({ method }) =>
        report(
          'warn',
          'unexpected-request',
          `A server sends no requests in ${agreement.revision}; ${shown(method, 60)} is ignored`,
        ),
      notification: (message) => this.#handleNotification(message),
      unreadable: reportUnreadable(report),
      raw: (...sent) => this.raw(...sent),
    });
  }

  request(method: string, params: JsonObject, options: SendOptions, onRound?: () => void): Promise<JsonObject> {
    const { revision } = this.agreement;
    return this.#sendAndAnswer(method, encodeParams(method, params, revision), options, this.#decode, onRound);
  }

  async resume(call: SuspendedCall, options: SendOptions): Promise<JsonObject> {
    const { method, params } = call;
    if (!ASKING_METHODS.has(method)) throw new TypeError(`A call of ${shown(method, 60)} does not wait for answers`);
    const { questionsOf } = await import('./rounds.ts');
    return this.#decode(method, await this.#answerAndRetry(method, params, options, questionsOf(call)), options);
  }

  raw(method: string, params: JsonObject | undefined, options: SendOptions): Promise<JsonObject> {
    return this.#sendAndAnswer(method, params, options, unchanged);
  }

  notify(method: string, params: JsonObject | undefined): Promise<void> {
    return this.rpc.notify(method, withMeta(params, { ...metaOf(params), ...this.#claim.value }));
  }

  /** Loads the code for subscriptions when the first one is needed. */
  setTopics(topics: Topics): void {
    this.#topics = topics;
    if (this.#subscriptions !== undefined) this.#subscriptions.setTopics(topics);
    else if (!isEmpty(topics)) void this.#startSubscriptions();
  }

  /** Modern revisions have no `ping`: any response shows that the server is alive. */
  async ping(options: CallOptions): Promise<void> {
    await this.raw('server/discover', undefined, options).catch((error: unknown) => {
      if (!(error instanceof ProtocolError)) throw error;
    });
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#claim = this.#claimWith(level);
  }

  /** Nothing to send: the server asks for the roots when it needs them. */
  async rootsChanged(): Promise<void> {}

  async #startSubscriptions(): Promise<void> {
    const { ModernSubscriptions } = await import('./modern-subscriptions.ts');
    this.#subscriptions ??= new ModernSubscriptions(this.#context, (id, params, requestOptions) => {
      const { value } = this.#claim;
      // A subscription to tasks needs the extension.
      const _meta = (params['notifications'] as JsonObject)['taskIds'] === undefined ? value : claimTasks(value);
      return this.rpc.request(id, 'subscriptions/listen', { ...params, _meta }, requestOptions);
    });
    this.#subscriptions.setTopics(this.#topics);
  }

  #handleNotification(message: Notification): void {
    if (!isAnnouncement(message.method)) this.#onNotification(message);
    else if (this.#subscriptions === undefined) reportUnsolicited(this.#context.report, message.method);
    else this.#subscriptions.handleNotification(message);
  }

  #claimWith(logLevel: LogLevel | undefined): EncodedMeta {
    const { capabilities, info } = this.#context.settings;
    const { revision } = this.agreement;
    const value = claimMeta({ revision, capabilities, client: info, logLevel });
    return { revision, value, text: encodeJson(value) };
  }

  /** Sends a request, and answers the server's questions until there is a final result. */
  #sendAndAnswer(
    method: string,
    params: JsonObject | undefined,
    options: SendOptions,
    decode: Decode,
    onRound?: () => void,
  ): Promise<JsonObject> {
    const { settings } = this.#context;
    const requestOptions = requestOptionsOf(settings, options, deadlineOf(settings, options));
    // Not an async function: most requests have their result at once, and its promises would cost them more than their work.
    return this.#send(method, params, options, requestOptions).then((first) => {
      if (!isInputRequired(first) || !ASKING_METHODS.has(method)) return decode(method, first, options);
      onRound?.();
      return this.#answerAndRetry(method, params, options, first, requestOptions).then(
        (final) => decode(method, final, options),
        (error: unknown) => {
          // The server has acted on the first request, whatever happened to the last one.
          throw afterUnknown(error);
        },
      );
    });
  }

  /** Answers the questions in a result and sends the request again, until there is a final result. */
  async #answerAndRetry(
    method: string,
    params: JsonObject | undefined,
    options: SendOptions,
    first: JsonObject,
    given?: RequestOptions,
  ): Promise<JsonObject> {
    const { settings } = this.#context;
    const requestOptions = given ?? requestOptionsOf(settings, options, deadlineOf(settings, options));
    const { answerRounds, suspendedCall } = await import('./rounds.ts');
    return answerRounds(first, {
      method,
      clock: settings.clock,
      limits: settings.limits,
      deadline: requestOptions.deadline,
      signal: options.signal,
      answer: (name, request, signal, round) =>
        this.#answer(name, request, signal, suspendedCall(method, params, round)),
      resend: (answers) => this.#send(method, { ...params, ...answers }, options, requestOptions),
    });
  }

  #send(
    method: string,
    params: JsonObject | undefined,
    options: SendOptions,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    const send = (): Promise<JsonObject> => this.#sendOnce(method, params, options, requestOptions);
    return this.rpc.perRequest === undefined
      ? send()
      : sendAndRepeat(this.#context, { method, params, options: requestOptions, send });
  }

  #sendOnce(
    method: string,
    params: JsonObject | undefined,
    options: SendOptions,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    const { _meta, onProgress, logLevel, takesTasks } = options;
    const id = this.rpc.nextId();
    const claim = this.#claim;
    // Most requests have the same `_meta`.
    if ((params?.['_meta'] ?? _meta ?? onProgress ?? logLevel ?? takesTasks) === undefined)
      return this.rpc.request(id, method, params ?? {}, requestOptions, claim);
    const meta: JsonObject = {
      ...metaOf(params),
      ..._meta,
      ...(takesTasks ? claimTasks(claim.value) : claim.value),
    };
    if (onProgress !== undefined) meta[PROGRESS_TOKEN] = id;
    if (logLevel !== undefined) meta[META.logLevel] = logLevel;
    return this.rpc.request(id, method, withMeta(params, meta), requestOptions);
  }

  async #answer(
    name: string,
    { method, params }: InputRequest,
    signal: AbortSignal,
    call: SuspendedCall,
  ): Promise<JsonObject> {
    const { revision, server } = this.agreement;
    try {
      return await this.#context.answerer.answer({ method, params, name, call }, revision, server, signal);
    } catch (error) {
      throw asPeerError(error);
    }
  }
}
