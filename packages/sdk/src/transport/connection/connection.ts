import type { Channel, ChannelProblem } from '../../protocol/channel.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import {
  isObject,
  type Notification,
  type Request,
  type RequestId,
  type Response,
  sortMessage,
} from '../../protocol/jsonrpc.ts';
import { type Logger, sparing } from '../../protocol/log.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { reportFailure } from '../../server/failure.ts';
import { complete } from '../../wire/encode.ts';
import { JsonError, parseJson } from '../../wire/json.ts';
import { errorText, responseText } from '../../wire/text.ts';
import { batchReply } from './batch.ts';
import { RunningCall } from './calls.ts';
import { failureText } from './failure.ts';
import { type Route, routeOf, spokenBy, type Spoken } from './era.ts';
import { agreement, greeting, SESSION_METHODS } from './initialize.ts';
import type { Listen } from './listens.ts';
import { within } from '../within.ts';
import { noticeOf, tooManyUris } from './notices.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { Session } from './session.ts';

/** Takes the text of a response; undefined when there is to be none. */
export type Reply = (text: string | undefined) => void;

/** One peer on a channel, served in every era at once. */
export class Connection {
  readonly #engine: Engine;
  readonly #principal: Principal | undefined;
  readonly #outbox: Outbox;
  /** What the peer does wrong. */
  readonly #faults: Logger;
  readonly #spoken: Spoken;
  readonly #running = new Map<RequestId, RunningCall>();
  readonly #listens = new Map<RequestId, { readonly listen: Listen; readonly reply: Reply }>();
  readonly #forget: () => void;
  #session: Session | undefined;
  #lastId = 0;
  #closed = false;
  #idle: (() => void) | undefined;

  constructor(engine: Engine, channel: Channel, principal: Principal | undefined) {
    this.#engine = engine;
    this.#principal = principal;
    this.#outbox = createOutbox(channel, engine.log);
    this.#faults = sparing(engine.log);
    this.#spoken = spokenBy(engine.revisions);
    this.#forget = engine.subscribe((change) => this.#tell(change));
  }

  /** The answer to a message that came by itself. */
  readonly #reply: Reply = (text) => {
    if (text !== undefined) void this.#outbox.send(text);
  };

  /** Settles when the peer can take more; undefined while it can. */
  get blocked(): Promise<void> | undefined {
    return this.#outbox.blocked;
  }

  /** Takes what came in. */
  receive(item: string | ChannelProblem): void {
    if (typeof item !== 'string') return this.#lost(item);
    const { lineBytes } = this.#engine.limits;
    // A channel that splits lines has looked already. Characters are never more than bytes.
    if (item.length > lineBytes)
      return this.#lost({ problem: `A message of more than ${lineBytes} bytes was skipped` });
    let value: unknown;
    try {
      value = parseJson(item, this.#engine.limits);
    } catch (error) {
      const syntax = error instanceof JsonError && error.reason === 'syntax';
      return this.#refuse(
        syntax ? CODE.parseError : CODE.invalidRequest,
        error instanceof Error ? error.message : 'Not a JSON-RPC message',
      );
    }
    if (Array.isArray(value)) this.#batch(value, item);
    else this.#message(value, item, this.#reply);
  }

  /** The peer said its last: waits for the calls that run, but no longer than this many milliseconds. */
  async drain(ms: number): Promise<void> {
    this.#outbox.farewell();
    this.#session?.close();
    if (this.#running.size === 0 || this.#outbox.broken) return;
    await within(ms, new Promise<void>((resolve) => (this.#idle = resolve)));
  }

  /** Ends subscriptions in good order and everything else at once. */
  close(): void {
    this.#forget();
    this.#session?.close();
    for (const call of this.#running.values()) call.cancel('The connection was closed');
    for (const { listen, reply } of this.#listens.values()) reply(listen.farewell());
    this.#listens.clear();
    this.#closed = true;
  }

  #lost({ problem }: ChannelProblem): void {
    this.#faults({ level: 'warn', event: 'message-lost', message: problem });
    this.#refuse(CODE.parseError, problem);
  }

  /** Answers something whose id could not be read. */
  #refuse(code: number, message: string): void {
    void this.#outbox.send(errorText(undefined, { code, message }));
  }

  #batch(values: readonly unknown[], source: string): void {
    const revision = this.#session?.revision;
    if (revision === undefined || !featuresOf(revision).batch)
      return this.#refuse(CODE.invalidRequest, 'Batches are not part of this protocol revision');
    const { batch } = this.#engine.limits;
    if (values.length === 0 || values.length > batch)
      return this.#refuse(CODE.invalidRequest, `A batch has 1 to ${batch} messages`);
    const replies = batchReply(values.length, (text) => void this.#outbox.send(text));
    for (const value of values) this.#message(value, source, replies, true);
  }

  #message(value: unknown, source: string, reply: Reply, inBatch = false): void {
    const sorted = sortMessage(value);
    switch (sorted.kind) {
      case 'request':
        if (!survives(sorted.message.id, source))
          return reply(errorText(undefined, { code: CODE.invalidRequest, message: INEXACT }));
        return this.#request(sorted.message, reply, inBatch);
      case 'notification':
        this.#notification(sorted.message);
        return reply(undefined);
      case 'response':
        this.#response(sorted.message);
        return reply(undefined);
      default:
        return this.#invalid(value, sorted.reason, sorted.id, reply);
    }
  }

  #invalid(value: unknown, reason: string, id: RequestId | undefined, reply: Reply): void {
    const meant = meantAs(value);
    // A notification gets no answer, not even an error ("Notifications" of the base protocol).
    if (meant === 'notification') {
      this.#faults({ level: 'warn', event: 'invalid-message', message: `A notification is ignored: ${reason}` });
      return reply(undefined);
    }
    // The id of an answer is one of ours. Sent back, it would look like the answer to a request of the peer.
    if (meant === 'response')
      this.#session?.settle({
        jsonrpc: '2.0',
        ...(id === undefined ? {} : { id }),
        error: { code: CODE.invalidRequest, message: `the answer is malformed: ${reason}` },
      });
    reply(errorText(meant === 'response' ? undefined : id, { code: CODE.invalidRequest, message: reason }));
  }

  #response(message: Response): void {
    if (this.#session?.settle(message) === true) return;
    this.#faults({
      level: 'warn',
      event: 'stray-response',
      message: `A response nobody waits for: ${shown(message.id)}`,
    });
  }

  #notification({ method, params }: Notification): void {
    if (method === 'notifications/initialized') this.#session?.markInitialized();
    else if (method === 'notifications/cancelled') this.#cancelled(params?.['requestId'], params?.['reason']);
  }

  #cancelled(id: unknown, reason: unknown): void {
    const call = this.#running.get(id as RequestId);
    if (call === undefined && !this.#listens.delete(id as RequestId)) return;
    this.#engine.log({
      level: 'info',
      event: 'cancelled',
      message: `The client cancelled ${shown(id)}${typeof reason === 'string' ? `: ${shown(reason)}` : ''}`,
    });
    call?.cancel(typeof reason === 'string' ? reason : 'The client cancelled the request');
  }

  #request(message: Request, reply: Reply, inBatch: boolean): void {
    const { id } = message;
    try {
      if (this.#running.has(id) || (this.#listens.size > 0 && this.#listens.has(id)))
        throw new ProtocolError(
          CODE.invalidRequest,
          `The id ${shown(id)} is in use by a request that is not answered yet`,
        );
      const route = routeOf(message, this.#session, this.#spoken, this.#principal, this);
      if (inBatch && (route.kind === 'modern' || route.kind === 'initialize'))
        throw new ProtocolError(CODE.invalidRequest, `${shown(message.method)} cannot be part of a batch`);
      this.#serve(message, route, reply);
    } catch (error) {
      reply(failureText(this.#engine, message, error));
    }
  }

  #serve(message: Request, route: Route, reply: Reply): void {
    if (route.kind === 'pong') return reply(responseText(message.id, '{}'));
    if (route.kind === 'initialize') return this.#initialize(message, reply);
    const { inFlight } = this.#engine.limits;
    if (this.#running.size >= inFlight)
      throw new ProtocolError(CODE.internalError, `Too many requests at once: the limit is ${inFlight}`);
    const call = new RunningCall(message, route.caller, this.#outbox);
    this.#running.set(message.id, call);
    const failed = (error: unknown): void =>
      this.#answered(
        call,
        reply,
        error === LISTENING ? undefined : failureText(this.#engine, message, error, call.revision),
      );
    let result: Maybe<string>;
    try {
      result = this.#answer(message, route, call, reply);
    } catch (error) {
      return failed(error);
    }
    // Most calls are answered at once: nothing is made to wait with.
    if (typeof result === 'string') return this.#answered(call, reply, responseText(message.id, result));
    void result.then((text) => this.#answered(call, reply, responseText(message.id, text)), failed);
  }

  #answered(call: RunningCall, reply: Reply, text: string | undefined): void {
    call.end();
    this.#running.delete(call.id);
    // Whoever cancelled hears nothing more (Cancellation, Behavior Requirements).
    reply(call.cancelled ? undefined : text);
    if (this.#running.size === 0) this.#idle?.();
  }

  #answer(
    message: Request,
    route: Exclude<Route, { kind: 'pong' | 'initialize' }>,
    call: RunningCall,
    reply: Reply,
  ): Maybe<string> {
    const { method, params = {} } = message;
    if (route.kind === 'modern') {
      return method === 'subscriptions/listen'
        ? this.#listen(message, call, reply)
        : this.#engine.answer(method, params, call);
    }
    const change = SESSION_METHODS.get(method);
    if (change === undefined || !this.#engine.has(method, route.caller.revision))
      return this.#engine.answer(method, params, call);
    return andThen(change(route.session, this.#engine, params, call), () => '{}');
  }

  #initialize(message: Request, reply: Reply): void {
    if (this.#session !== undefined) throw new ProtocolError(CODE.invalidRequest, 'The session is initialized already');
    const agreed = agreement(this.#engine, message.params ?? {});
    this.#session = new Session(agreed, this.#principal, () => ++this.#lastId, this.#engine.limits);
    reply(
      responseText(message.id, JSON.stringify(complete(greeting(this.#engine, agreed.revision), agreed.revision, {}))),
    );
  }

  async #listen(message: Request, call: RunningCall, reply: Reply): Promise<never> {
    const { createListen } = await import('./listens.ts');
    const listen = await createListen(this.#engine, message.params ?? {}, call);
    if (call.cancelled) throw LISTENING;
    const { subscriptions, subscriptionUris } = this.#engine.limits;
    if (this.#listens.size >= subscriptions)
      throw new ProtocolError(CODE.internalError, `Too many subscriptions: the limit is ${subscriptions}`);
    let { watched } = listen;
    for (const other of this.#listens.values()) watched += other.listen.watched;
    if (watched > subscriptionUris) throw tooManyUris(this.#engine);
    void this.#outbox.send(listen.acknowledgement);
    this.#listens.set(message.id, { listen, reply });
    throw LISTENING;
  }

  #tell(change: Change): void {
    if (!('uri' in change)) return this.#notify(change);
    if (!this.#isSubscribed(change) && ![...this.#listens.values()].some(({ listen }) => listen.wants(change))) return;
    // What the client could see when it subscribed may be hidden from it by now.
    void settle<boolean, void>(
      () => this.#engine.hasResource(change.uri, { principal: this.#principal }),
      (there) => {
        if (there) this.#notify(change);
      },
      (error) => void reportFailure(`Looking for '${shown(change.uri)}', which changed,`, error, this.#engine.log),
    );
  }

  #isSubscribed(change: Change): boolean {
    const session = this.#session;
    if (session === undefined || !session.initialized || this.#closed) return false;
    return 'uri' in change ? session.subscribed.has(change.uri) : session.lists.has(change.list);
  }

  #notify(change: Change): void {
    for (const { listen } of this.#listens.values())
      if (listen.wants(change)) void this.#outbox.send(listen.notice(change));
    if (this.#isSubscribed(change)) void this.#outbox.send(noticeOf(change));
  }
}

const INEXACT = '"id" is a number that cannot be sent back exactly: use a text, or an integer below 2^53';

/** Is a numeric id as it was written? Above 2^53 parsing may have rounded it, and the peer would not know its answer. */
const survives = (id: RequestId, source: string): boolean =>
  typeof id === 'string' || Number.isSafeInteger(id) || source.includes(String(id));

/** What a message that is not valid was probably meant to be. */
const meantAs = (value: unknown): 'request' | 'notification' | 'response' => {
  if (!isObject(value)) return 'request';
  if (typeof value['method'] === 'string' && !Object.hasOwn(value, 'id')) return 'notification';
  return value['method'] === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'))
    ? 'response'
    : 'request';
};

/** Thrown by a request that became a subscription: its answer comes when the subscription ends. */
const LISTENING = Symbol('listening');
