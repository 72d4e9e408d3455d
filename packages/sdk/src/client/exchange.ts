import { PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject, Notification } from '../protocol/jsonrpc.ts';
import type { LogLevel } from '../protocol/log.ts';
import { META, metaOf, PROGRESS_TOKEN } from '../protocol/meta.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';
import { claimMeta } from '../wire/claim.ts';
import { type DecodeOptions, decodeResult, type InputRequest, isInputRequired } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode-params.ts';
import { Refusal, type SuspendedCall } from './asked.ts';
import { type Conversation, lastOf, leftOut, type Opening, repeated, termsOf } from './conversation.ts';
import type { Calls, Terms } from './correlate.ts';
import type { Listens } from './listens.ts';
import { createNotices, unreadable, unsolicited } from './notices.ts';
import { takeCharge } from './take-charge.ts';
import { isAnnouncement, isEmpty, NO_TOPICS, type Topics } from './topics.ts';
import type { Agreement, CallOptions } from './types.ts';

/** A connection on a revision without a handshake: each request says who sends it and what that can do; only the client sends requests. */
export class Exchange implements Conversation {
  readonly agreement: Agreement;
  readonly calls: Calls;
  readonly #opening: Opening;
  readonly #decoding: DecodeOptions;
  #listens: Listens | undefined;
  #wanted = NO_TOPICS;
  readonly #notices: (message: Notification) => void;
  /** The `_meta` that every request carries. */
  #claim: JsonObject;

  constructor(opening: Opening) {
    const { agreement, calls, settings, report } = opening;
    this.agreement = agreement;
    this.calls = calls;
    this.#opening = opening;
    this.#decoding = { report: leftOut(report) };
    this.#claim = this.#claimWith(settings.logLevel);
    this.#notices = createNotices(settings, report);
    takeCharge(calls, {
      batch: false,
      request: ({ method }) =>
        report(
          'warn',
          'unexpected-request',
          `A server sends no requests in ${agreement.revision}; ${shown(method, 60)} is ignored`,
        ),
      notification: (message) => this.#notified(message),
      unreadable: unreadable(report),
    });
  }

  request(method: string, params: JsonObject, options: CallOptions, onRound?: () => void): Promise<JsonObject> {
    const { revision } = this.agreement;
    return this.#exchange(method, encodeParams(method, params, revision), options, onRound).then((result) =>
      decodeResult(method, result, revision, this.#decoding),
    );
  }

  async resume({ method, params, questions, state }: SuspendedCall, options: CallOptions): Promise<JsonObject> {
    if (!ASKING_METHODS.has(method)) throw new TypeError(`A call of ${shown(method, 60)} does not wait for answers`);
    const asked = { resultType: 'input_required', inputRequests: questions, requestState: state };
    const result = await this.#goOn(method, params, options, asked);
    return decodeResult(method, result, this.agreement.revision, this.#decoding);
  }

  raw(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject> {
    return this.#exchange(method, params, options);
  }

  /** Whoever watches nothing does not load what it takes. */
  follow(topics: Topics): void {
    this.#wanted = topics;
    if (this.#listens !== undefined) this.#listens.follow(topics);
    else if (!isEmpty(topics)) void this.#listen();
  }

  /** There is no `ping`; any answer shows that the server lives. */
  async ping(options: CallOptions): Promise<void> {
    await this.#exchange('server/discover', undefined, options).catch((error: unknown) => {
      if (!(error instanceof ProtocolError)) throw error;
    });
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    this.#claim = this.#claimWith(level);
  }

  /** The next question for roots is answered with the new ones; there is nobody to tell. */
  async rootsChanged(): Promise<void> {}

  async #listen(): Promise<void> {
    const { Listens } = await import('./listens.ts');
    this.#listens ??= new Listens(this.#opening, (id, params, terms) =>
      this.calls.request(id, 'subscriptions/listen', { ...params, _meta: this.#claim }, terms),
    );
    this.#listens.follow(this.#wanted);
  }

  #notified(message: Notification): void {
    if (!isAnnouncement(message.method)) this.#notices(message);
    else if (this.#listens === undefined) unsolicited(this.#opening.report, message.method);
    else this.#listens.take(message);
  }

  #claimWith(logLevel: LogLevel | undefined): JsonObject {
    const { capabilities, info } = this.#opening.settings;
    return claimMeta({ revision: this.agreement.revision, capabilities, client: info, logLevel });
  }

  /** Asks, and asks again with the answers as long as the server wants to know something. */
  async #exchange(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    onRound?: () => void,
  ): Promise<JsonObject> {
    const { settings } = this.#opening;
    const terms = termsOf(settings, options, lastOf(settings, options));
    const first = await this.#send(method, params, options, terms);
    if (!isInputRequired(first) || !ASKING_METHODS.has(method)) return first;
    onRound?.();
    return this.#goOn(method, params, options, first, terms);
  }

  /** Answers what a result asks, and asks again, until the result is one. */
  async #goOn(
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    first: JsonObject,
    given?: Terms,
  ): Promise<JsonObject> {
    const { settings } = this.#opening;
    const terms = given ?? termsOf(settings, options, lastOf(settings, options));
    const { fulfil, suspended } = await import('./rounds.ts');
    return fulfil(first, {
      method,
      clock: settings.clock,
      limits: settings.limits,
      last: terms.last,
      signal: options.signal,
      answer: (name, request, signal, asked) => this.#answer(name, request, signal, suspended(method, params, asked)),
      again: (answers) => this.#send(method, { ...params, ...answers }, options, terms),
    });
  }

  #send(method: string, params: JsonObject | undefined, options: CallOptions, terms: Terms): Promise<JsonObject> {
    return repeated(this.#opening, method, params, () => this.#sendOnce(method, params, options, terms));
  }

  #sendOnce(method: string, params: JsonObject | undefined, options: CallOptions, terms: Terms): Promise<JsonObject> {
    const id = this.calls.nextId();
    const meta: JsonObject = { ...metaOf(params), ...options._meta, ...this.#claim };
    if (options.onProgress !== undefined) meta[PROGRESS_TOKEN] = id;
    if (options.logLevel !== undefined) meta[META.logLevel] = options.logLevel;
    return this.calls.request(id, method, { ...params, _meta: meta }, terms);
  }

  async #answer(
    name: string,
    { method, params }: InputRequest,
    signal: AbortSignal,
    call: SuspendedCall,
  ): Promise<JsonObject> {
    const { revision, server } = this.agreement;
    try {
      return await this.#opening.answerer.answer({ method, params, name, call }, revision, server, signal);
    } catch (error) {
      // There is no way to answer with an error: a call that asks too much fails here.
      if (error instanceof Refusal) throw new PeerError(`The server asked what it may not ask: ${error.message}`);
      throw error;
    }
  }
}
