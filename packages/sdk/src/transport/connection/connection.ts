import { type ChannelProblem, COALESCES, type StreamChannel } from '../../protocol/channel.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestId, Response } from '../../protocol/jsonrpc.ts';
import { type Logger, limitedLogger } from '../../protocol/log.ts';
import type { Maybe } from '../../protocol/maybe.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import type { Change } from '../../server/changes.ts';
import { encodedCapabilities } from '../../server/create-engine.ts';
import type { Engine } from '../../server/engine.ts';
import { type JsonError, parseJson } from '../../wire/json.ts';
import { errorText, responseText } from '../../wire/text.ts';
import type { serveChannelBatch } from '../serving/batch.ts';
import { type CallLimiter, CallTracker } from '../serving/call-tracker.ts';
import { limitRates } from '../serving/limit-rates.ts';
import { failureText, invalidText } from '../serving/error-texts.ts';
import { initializeResult, negotiate } from '../serving/initialize.ts';
import {
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type InvalidMessage,
  readMessage,
} from '../serving/message.ts';
import { type Caller, type CallerSession, type Peer, type ResponseWriter, ServerCall } from '../serving/server-call.ts';
import { handleNotification, isClaimed } from '../serving/notification-handlers.ts';
import { OutsideCalls } from '../serving/outside-calls.ts';
import { type CallService, serveCall } from '../serving/serve-call.ts';
import { answerInSession } from '../serving/session-methods.ts';
import { Session } from '../serving/session.ts';
import type { Subscriptions } from '../serving/subscriptions.ts';
import type { Watcher } from '../serving/announce-resource.ts';
import { announce, changeText, isWatched } from '../serving/updates.ts';
import { within } from '../promises.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { routeOf } from './route.ts';

type ServeBatch = typeof serveChannelBatch;

/** A timer, because one turn of the event loop is too short: the peer would not have read the first chunk yet. */
const PAUSE_MS = 1;

function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
}

/** Serves one peer on a channel, in all eras at once. */
export class Connection {
  readonly #engine: Engine;
  readonly #peer: Peer;
  readonly #outbox: Outbox;
  /** Logs errors of the peer. */
  readonly #faults: Logger;
  readonly #calls: CallTracker;
  readonly #modern: CallService;
  readonly #legacy: CallService;
  /** Writes answers to messages that came outside a batch. */
  readonly #writer: ResponseWriter;
  /** The session, as a watcher of changes. */
  readonly #watcher: Watcher;
  readonly #unsubscribe: () => void;
  /** The connection as the session of modern requests, to which a server sends nothing outside calls. */
  readonly #modernPeer: OutsideCalls;
  #session: Session | undefined;
  /** Sessions that a later `initialize` replaced, and whose calls still wait for the client. */
  #earlier: Session[] = [];
  /** Only one revision has batches: loaded when a client agrees on that revision. */
  #serveBatch: ServeBatch | undefined;
  /** Resolves when it is loaded, and all batches received before that have begun. */
  #loading: Promise<void> | undefined;
  /** Loaded with the first `subscriptions/listen`. */
  #subscriptions: Subscriptions | undefined;
  #lastId = 0;

  /** `all`: counts its calls together with those of other peers. */
  constructor(engine: Engine, channel: StreamChannel, peer: Peer, all?: CallLimiter) {
    this.#engine = engine;
    this.#peer = peer;
    const outbox = (this.#outbox = createOutbox(channel, engine.log));
    this.#faults = limitedLogger(engine.log);
    const calls = (this.#calls = new CallTracker(engine.limits.inFlight, {
      ...{ ofOnePeer: true, all },
      rates: all === undefined ? limitRates(engine.limits) : undefined,
    }));
    this.#modern = { engine, calls, answer: (call) => this.#answerModern(call) };
    this.#legacy = {
      engine,
      calls,
      answer: (call) => answerInSession(engine, call.caller as Session, call, (act) => act()),
    };
    this.#writer = {
      send: (text) => outbox.send(text),
      finish: (text) => void outbox.send(text),
      drop() {},
      wait() {},
      pause: channel[COALESCES] ? pause : undefined,
    };
    this.#watcher = {
      principal: peer.principal,
      wants: (change) => this.#isSubscribed(change),
      // Changes of tasks are left out: legacy clients poll tasks.
      notify: (change) => void ('task' in change || outbox.send(changeText(change))),
    };
    const [revision] = engine.revisions;
    const unknown: Caller & { session?: CallerSession } = {
      ...{ revision: revision!, capabilities: {}, client: undefined, logLevel: undefined },
      ...peer,
    };
    this.#modernPeer = unknown.session = new OutsideCalls(unknown, { send() {} });
    this.#unsubscribe = engine.subscribe((change) => this.#announce(change));
  }

  /** Resolves when the peer can take more; undefined while it can. */
  get blocked(): Promise<void> | undefined {
    return this.#outbox.blocked;
  }

  /** Handles an item that was received. */
  receive(item: string | ChannelProblem): void {
    if (typeof item !== 'string') return this.#lost(item);
    const { lineBytes } = this.#engine.limits;
    // Channels that split lines have already checked the size in bytes. The number of characters is never greater.
    if (item.length > lineBytes)
      return this.#lost({ problem: `A message of more than ${lineBytes} bytes was skipped` });
    let value: unknown;
    try {
      value = parseJson(item, this.#engine.limits);
    } catch (error) {
      // `parseJson` throws no other errors.
      const { reason, message } = error as JsonError;
      return this.#refuse(reason === 'syntax' ? CODE.parseError : CODE.invalidRequest, message);
    }
    if (Array.isArray(value)) return this.#batch(value);
    const message = readMessage(value);
    switch (message.kind) {
      case 'request':
        return this.#request(message, this.#writer, false);
      case 'invalid':
        return this.#invalid(message);
      default:
        return this.#take(message);
    }
  }

  /** Called when the peer will send nothing more. Waits for running calls, for at most `ms` milliseconds. */
  async drain(ms: number): Promise<void> {
    this.#outbox.peerClosed();
    this.#closeSessions();
    await this.#loading;
    if (!this.#outbox.broken) await within(ms, this.whenIdle());
  }

  /** Resolves when no handler is running. */
  whenIdle(): Promise<void> {
    return this.#calls.whenIdle();
  }

  /** Ends subscriptions with a response, and everything else at once. */
  close(): void {
    this.#unsubscribe();
    this.#closeSessions();
    this.#subscriptions?.end();
    this.#calls.cancelAll('The connection was closed');
    // The session receives no more notifications.
    this.#session = undefined;
  }

  #lost({ problem }: ChannelProblem): void {
    this.#faults({ level: 'warn', event: 'message-lost', message: problem });
    this.#refuse(CODE.parseError, problem);
  }

  /** Answers a message whose id could not be read. */
  #refuse(code: number, message: string): void {
    void this.#outbox.send(errorText(undefined, { code, message }));
  }

  #batch(values: readonly unknown[]): void {
    const revision = this.#session?.revision;
    if (revision === undefined || !featuresOf(revision).batch)
      return this.#refuse(CODE.invalidRequest, 'Batches are not part of this protocol revision');
    const serve = (serveOnChannel: ServeBatch): void =>
      serveOnChannel(values, this.#engine.limits.batch, (text) => this.#outbox.send(text), {
        request: (message, writer) => this.#request(message, writer, true),
        invalid: (message) => this.#report(message),
        other: (message) => this.#take(message),
      });
    if (this.#serveBatch !== undefined) return serve(this.#serveBatch);
    this.#loading = this.#loading!.then(() => serve(this.#serveBatch!));
    return undefined;
  }

  #take(message: IncomingNotification | IncomingResponse): void {
    if (message.kind === 'response') return this.#response(message);
    const { method, params } = message;
    if (method === 'notifications/cancelled') return this.#cancel(params['requestId'], params['reason']);
    if (method === 'notifications/initialized' && this.#session?.markInitialized() !== true) return undefined;
    const sender = isClaimed(this.#engine, message) ? this.#modernPeer : (this.#session?.outside ?? this.#modernPeer);
    return handleNotification(this.#engine, message, sender.call);
  }

  #response({ response }: IncomingResponse): void {
    if (this.#settle(response)) return;
    this.#faults({
      level: 'warn',
      event: 'stray-response',
      message: `A response to no open request: ${shown(response.id)}`,
    });
  }

  #settle(response: Response): boolean {
    return [this.#session, ...this.#earlier].some((session) => session?.settle(response));
  }

  #closeSessions(): void {
    this.#modernPeer.end();
    for (const session of [this.#session, ...this.#earlier]) session?.close();
  }

  #invalid(message: InvalidMessage): void {
    this.#report(message);
    const text = invalidText(message);
    if (text !== undefined) void this.#outbox.send(text);
  }

  /** A malformed notification is logged; a malformed response fails the request that waits for it. */
  #report({ meant, reason, id }: InvalidMessage): void {
    if (meant === 'notification')
      this.#faults({ level: 'warn', event: 'invalid-message', message: `A notification is ignored: ${reason}` });
    else if (meant === 'response')
      this.#settle({
        jsonrpc: '2.0',
        id,
        error: { code: CODE.invalidRequest, message: `the answer is malformed: ${reason}` },
      });
  }

  #cancel(id: unknown, reason: unknown): void {
    if (!this.#calls.cancel(id, reason)) return;
    this.#engine.log({
      level: 'info',
      event: 'cancelled',
      message: `The client cancelled ${shown(id as RequestId)}${typeof reason === 'string' ? `: ${shown(reason)}` : ''}`,
    });
  }

  #request(message: IncomingRequest, writer: ResponseWriter, inBatch: boolean): void {
    try {
      const route = routeOf(message, this.#session, this.#engine.supported, this.#peer, this.#modernPeer);
      if (inBatch && (route.kind === 'modern' || route.kind === 'initialize'))
        throw new ProtocolError(CODE.invalidRequest, `${shown(message.method)} cannot be part of a batch`);
      if (route.kind === 'ping') return writer.finish(responseText(message.id, '{}'));
      if (route.kind === 'initialize') return this.#initialize(message, writer);
      const call = new ServerCall(message, route.caller, writer);
      return serveCall(route.kind === 'modern' ? this.#modern : this.#legacy, call);
    } catch (error) {
      return writer.finish(failureText(this.#engine, message, error));
    }
  }

  #initialize({ id, params }: IncomingRequest, writer: ResponseWriter): void {
    const agreement = negotiate(this.#engine, params);
    if (this.#session !== undefined) {
      // A bridge may connect several clients in turn to one server process. Calls of earlier clients end in their own sessions.
      this.#session.outside.end();
      this.#earlier = [...this.#earlier, this.#session].filter((session) => session.asks);
      this.#faults({ level: 'warn', event: 'initialized-again', message: 'The client sent initialize again' });
    }
    if (featuresOf(agreement.revision).batch)
      this.#loading ??= import('../serving/batch.ts').then(
        (loaded) => void (this.#serveBatch = loaded.serveChannelBatch),
      );
    this.#session = new Session(agreement, this.#peer, () => ++this.#lastId, this.#engine.limits, this.#writer);
    const capabilities = encodedCapabilities(this.#engine, agreement.revision, this.#peer.principal);
    writer.finish(responseText(id, initializeResult(this.#engine, agreement.revision, capabilities)));
  }

  #answerModern(call: ServerCall): Maybe<MessageText | undefined> {
    return call.method === 'subscriptions/listen'
      ? this.#subscribe(call)
      : this.#engine.answer(call.method, call.params, call);
  }

  async #subscribe(call: ServerCall): Promise<MessageText | undefined> {
    const { Subscriptions } = await import('../serving/subscriptions.ts');
    const { subscriptions: all, subscriptionUris: uris } = this.#engine.limits;
    this.#subscriptions ??= new Subscriptions(this.#engine, { all, ofPrincipal: Infinity, uris });
    return this.#subscriptions.open(call, this.#calls);
  }

  #announce(change: Change): void {
    announce(this.#engine, change, [...(this.#subscriptions ?? []), this.#watcher]);
  }

  #isSubscribed(change: Change): boolean {
    const session = this.#session;
    if (!session?.initialized) return false;
    return isWatched(change, session.lists, session.subscribed);
  }
}
