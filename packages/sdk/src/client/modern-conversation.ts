import { PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import { META, metaOf, PROGRESS_TOKEN } from '../protocol/meta.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';
import { claimMeta } from '../wire/write-claim.ts';
import { type DecodeOptions, decodeResult, type InputRequest, isInputRequired } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode-params.ts';
import { RefusedQuestion, type SuspendedCall } from './server-question.ts';
import {
  type Conversation,
  deadlineOf,
  reportLeftOut,
  type ConversationContext,
  withRetry,
  requestOptionsOf,
} from './conversation.ts';
import type { RpcConnection, RequestOptions } from './rpc-connection.ts';
import type { ModernSubscriptions } from './modern-subscriptions.ts';
import { createNotificationHandler, reportUnreadable, reportUnsolicited } from './notifications.ts';
import { replaceInbound } from './replace-inbound.ts';
import { isAnnouncement, isEmpty, NO_TOPICS, type Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** A conversation in a modern revision: there is no handshake, each request carries the client's info and capabilities, and the server sends no requests. */
export class ModernConversation implements Conversation {
  readonly agreement: Agreement;
  readonly rpc: RpcConnection;
  readonly #context: ConversationContext;
  readonly #decoding: DecodeOptions;
  #subscriptions: ModernSubscriptions | undefined;
  #topics = NO_TOPICS;
  readonly #onNotification: (message: Notification) => void;
  /** The `_meta` of every request. */
  #claim: JsonObject;

  constructor(context: ConversationContext) {
    const { agreement, rpc, settings, report } = context;
    this.agreement = agreement;
    this.rpc = rpc;
    this.#context = context;
    this.#decoding = { report: reportLeftOut(report) };
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
    });
  }

  request(method: string, params: JsonObject, options: CallOptions, onRound?: () => void): Promise<JsonObject> {
    const { revision } = this.agreement;
    return this.#exchange(method, encodeParams(method, params, revision), options, onRound).then((result) =>
      decodeResult(method, result, revision, this.#decoding),
    );
  }

  async resume({ method, params, inputRequests, state }: SuspendedCall, options: CallOptions): Promise<JsonObject> {
    if (!ASKING_METHODS.has(method)) throw new TypeError(`A call of ${shown(method, 60)} does not wait for answers`);
    const asked = { resultType: 'input_required', inputRequests, requestState: state };
    const result = await this.#answerAndRetry(method, params, options, asked);
    return decodeResult(method, result, this.agreement.revision, this.#decoding);
  }

  raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    return this.#exchange(method, params, options);
  }

  /** Loads the code for subscriptions when the first one is needed. */
  setTopics(topics: Topics): void {
    this.#topics = topics;
    if (this.#subscriptions !== undefined) this.#subscriptions.setTopics(topics);
    else if (!isEmpty(topics)) void this.#startSubscriptions();
  }

  /** Modern revisions have no `ping`: any response shows that the server is alive. */
  async ping(options: CallOptions): Promise<void> {
    await this.#exchange('server/discover', undefined, options).catch((error: unknown) => {
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
    this.#subscriptions ??= new ModernSubscriptions(this.#context, (id, params, requestOptions) =>
      this.rpc.request(id, 'subscriptions/listen', { ...params, _meta: this.#claim }, requestOptions),
    );
    this.#subscriptions.setTopics(this.#topics);
  }

  #handleNotification(message: Notification): void {
    if (!isAnnouncement(message.method)) this.#onNotification(message);
    else if (this.#subscriptions === undefined) reportUnsolicited(this.#context.report, message.method);
    else this.#subscriptions.handleNotification(message);
  }

  #claimWith(logLevel: LogLevel | undefined): JsonObject {
    const { capabilities, info } = this.#context.settings;
    return claimMeta({ revision: this.agreement.revision, capabilities, client: info, logLevel });
  }

  /** Sends a request, and answers the server's questions until there is a final result. */
  async #exchange(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    onRound?: () => void,
  ): Promise<JsonObject> {
    const { settings } = this.#context;
    const requestOptions = requestOptionsOf(settings, options, deadlineOf(settings, options));
    const first = await this.#send(method, params, options, requestOptions);
    if (!isInputRequired(first) || !ASKING_METHODS.has(method)) return first;
    onRound?.();
    return this.#answerAndRetry(method, params, options, first, requestOptions);
  }

  /** Answers the questions in a result and sends the request again, until there is a final result. */
  async #answerAndRetry(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
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
    options: CallOptions,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    return withRetry(this.#context, method, params, () => this.#sendOnce(method, params, options, requestOptions));
  }

  #sendOnce(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    requestOptions: RequestOptions,
  ): Promise<JsonObject> {
    const id = this.rpc.nextId();
    const meta: JsonObject = { ...metaOf(params), ...options._meta, ...this.#claim };
    if (options.onProgress !== undefined) meta[PROGRESS_TOKEN] = id;
    if (options.logLevel !== undefined) meta[META.logLevel] = options.logLevel;
    return this.rpc.request(id, method, { ...params, _meta: meta }, requestOptions);
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
      // An input response cannot be an error, so the call itself fails.
      if (error instanceof RefusedQuestion)
        throw new PeerError(`The server sent a question that is not allowed: ${error.message}`);
      throw error;
    }
  }
}
