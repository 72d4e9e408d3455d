import type { Side, TraceLine } from '../trace/line.ts';
import { createExchanges } from './http/exchanges.ts';
import { createListedTools } from './listed-tools.ts';
import {
  claimOf,
  errorOf,
  keyOf,
  kindOf,
  type Message,
  metaOf,
  type Notification,
  ofMeta,
  type Request,
  type Response,
  resultOf,
  retypedKey,
} from './message.ts';
import { isLegacy, isModern, isRevision, MODERN, MODERN_CODES, type Revision } from './revisions.ts';
import type { SessionState } from './session-state.ts';
import { createPendingRequests, type PendingRequests } from './pending-requests.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, objectOf, other } from './words.ts';

const MAX_BATCHED = 1_000;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Base = Pick<Message, 'n' | 'at' | 'from' | 'size' | 'redacted' | 'revision'>;

const NOTHING: readonly Message[] = [];
/** The notes of recorders about a closed connection; `from` is the side that closed it. */
const CLOSED = /^(?:the (?:client|server) )?closed\b/i;

function newState(
  name: string,
  requests: PendingRequests,
  lost: Readonly<Record<Side, boolean>>,
): Writable<SessionState> {
  return {
    name,
    head: undefined,
    handshake: 'none',
    negotiated: undefined,
    revision: undefined,
    modern: false,
    provenModern: false,
    clientCapabilities: undefined,
    serverCapabilities: undefined,
    waiting: requests.open,
    get forgetful() {
      return requests.forgetful;
    },
    lost,
    generation: 0,
    closed: undefined,
    last: { n: 0, at: 0 },
    until: 0,
    tools: createListedTools(),
    exchanges: createExchanges(),
    mixed: false,
  };
}

/** Tracks the state of one session. */
export class SessionReader {
  readonly #requests = createPendingRequests();
  readonly #lost: Record<Side, boolean> = { client: false, server: false };
  readonly #state: Writable<SessionState>;
  /** The revision that the client requested, until the server has answered. */
  #offered: Revision | undefined;
  #spoken = false;
  /** The exchange of the message being read. */
  #travels = '';

  constructor(name: string) {
    this.#state = newState(name, this.#requests, this.#lost);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Reads the next line and its parsed text. Returns its messages, and whether a new process or handshake begins with it. */
  read(line: TraceLine, value: unknown): { readonly messages: readonly Message[]; readonly anew: boolean } {
    const state = this.#state;
    state.last = line;
    state.until = line.at;
    const { kind, from } = line;
    if (kind !== 'message' || from === undefined || value === undefined)
      return { messages: NOTHING, anew: this.#readOther(line) };
    this.#spoken = true;
    const anew = !state.mixed && beginsHandshake(from, value);
    // A second client on the same proxy.
    if (anew && state.head?.recorder === 'tap' && state.head.transport === 'http' && state.handshake === 'ready')
      this.#mix();
    if (anew) this.#renew(false);
    const overHttp = state.head?.transport === 'http' || state.head?.transport === 'sse';
    if (state.mixed) this.#travels = `${state.exchanges.of(line)?.number ?? ''} `;
    const messages = this.#readMessages(line, from, value);
    if (overHttp) state.exchanges.message(line, messages);
    return { messages, anew };
  }

  /** Records that messages of this side are missing from the trace. Undefined: the side is unknown. */
  miss(from?: Side): void {
    if (from !== 'server') this.#lost.client = true;
    if (from !== 'client') this.#lost.server = true;
  }

  /** The trace ended at this time. */
  end(at: number): void {
    this.#state.until = Math.max(this.#state.until, at);
  }

  #settle(): void {
    const state = this.#state;
    // The session mixes clients of all eras, so only the message itself can say its revision.
    state.revision = state.mixed
      ? undefined
      : (state.negotiated ?? this.#offered ?? (state.modern ? MODERN : undefined));
  }

  #forget(): void {
    const state = this.#state;
    state.handshake = state.mixed ? 'ready' : 'none';
    state.negotiated = undefined;
    this.#offered = undefined;
    state.clientCapabilities = undefined;
    state.serverCapabilities = undefined;
    this.#settle();
  }

  #mix(): void {
    this.#state.mixed = true;
    this.#forget();
  }

  /** A new process has no state of the previous one; a new handshake keeps the pending requests. */
  #renew(process: boolean): void {
    const state = this.#state;
    state.generation++;
    if (process) {
      this.#requests.clear();
      state.closed = undefined;
      state.modern = false;
      state.provenModern = false;
    }
    state.tools = createListedTools();
    this.#forget();
  }

  /** In a mixed session, ids of clients are qualified by the exchange, which also contains the answer. */
  #keyIn(id: unknown, asker: Side): string | undefined {
    const key = keyOf(id);
    return key !== undefined && this.#state.mixed && asker === 'client' ? this.#travels + key : key;
  }

  #revisionOfRequest(from: Side, method: string, params: Json, meta: Json): Revision | undefined {
    const state = this.#state;
    const claim = from === 'client' ? claimOf(meta) : undefined;
    if (typeof claim === 'string') {
      state.modern = true;
      this.#settle();
      return isRevision(claim) && isModern(claim) ? claim : MODERN;
    }
    if (from === 'server' || method !== 'initialize' || state.mixed) return state.revision;
    state.handshake = 'asked';
    state.modern = false;
    state.clientCapabilities = objectOf(params['capabilities']);
    this.#offered = isLegacy(params['protocolVersion']) ? params['protocolVersion'] : undefined;
    this.#settle();
    return this.#offered;
  }

  #readRequest(base: Base, value: Json): Request {
    const { id, method } = value as { id: unknown; method: string };
    const params = objectOf(value['params']);
    const meta = metaOf(params);
    const request: Request = {
      ...base,
      kind: 'request',
      value,
      id,
      key: this.#keyIn(id, base.from),
      method,
      params,
      meta,
      revision: this.#revisionOfRequest(base.from, method, params, meta),
      generation: this.#state.generation,
      cancelledAt: undefined,
    };
    this.#requests.add(request);
    return request;
  }

  #readResponse(base: Base, value: Json): Response {
    const state = this.#state;
    const { id } = value;
    const asker = other(base.from);
    const key = this.#keyIn(id, asker);
    const isShared = key !== undefined && this.#requests.isShared(asker, key);
    const request = key === undefined || isShared ? undefined : state.waiting[asker].get(key);
    const again = state.mixed ? undefined : retypedKey(id);
    const found: Response = {
      ...base,
      kind: 'response',
      value,
      id,
      key,
      request,
      isShared,
      earlier: request !== undefined || isShared || key === undefined ? undefined : this.#requests.earlier(asker, key),
      retyped: request !== undefined || isShared || again === undefined ? undefined : state.waiting[asker].get(again),
      revision: request?.revision ?? state.revision,
    };
    if (isShared) this.#requests.answeredOne(asker, key, base.n);
    const settled = request ?? found.retyped;
    if (settled === undefined) return found;
    this.#requests.answered(settled, base.n);
    return settled.from === 'client' ? this.#learn(settled, found) : found;
  }

  /** Updates the state from an answer of the server. */
  #learn(request: Request, response: Response): Response {
    const state = this.#state;
    const result = resultOf(response);
    const shows = result?.['resultType'] !== undefined || MODERN_CODES.has(errorOf(response)?.['code']);
    if (shows && isModern(request.revision)) state.provenModern = true;
    if (result !== undefined) state.tools.answered(request, result, response.n);
    if (state.mixed || request.generation !== state.generation) return response;
    if (request.method === 'server/discover' && result !== undefined)
      state.serverCapabilities = objectOf(result['capabilities']);
    if (request.method !== 'initialize') return response;
    const version = result?.['protocolVersion'];
    state.handshake = result === undefined ? 'none' : 'answered';
    state.negotiated = isLegacy(version) ? version : undefined;
    this.#offered = result === undefined ? undefined : this.#offered;
    if (result !== undefined) state.serverCapabilities = objectOf(result['capabilities']);
    this.#settle();
    return { ...response, revision: state.negotiated ?? response.revision };
  }

  #readNotification(base: Base, value: Json): Notification {
    const state = this.#state;
    const method = value['method'] as string;
    const params = objectOf(value['params']);
    const meta = metaOf(params);
    let { revision } = state;
    if (method === 'notifications/initialized' && base.from === 'client' && state.handshake === 'answered')
      state.handshake = 'ready';
    else if (method === 'notifications/tools/list_changed') state.tools.changed();
    else if (method === 'notifications/cancelled') {
      const request = state.waiting[base.from].get(keyOf(params['requestId']) ?? '');
      if (request !== undefined) {
        request.cancelledAt ??= base.at;
        revision = request.revision;
      }
    }
    if (ofMeta(meta, 'subscriptionId') !== undefined) revision = MODERN;
    return { ...base, kind: 'notification', value, method, params, meta, revision };
  }

  #readOne(line: TraceLine, from: Side, value: unknown, size: number): Message {
    const { n, at, redacted = false } = line;
    const base: Base = { n, at, from, size, redacted, revision: this.#state.revision };
    switch (kindOf(value)) {
      case 'request':
        return this.#readRequest(base, value as Json);
      case 'notification':
        return this.#readNotification(base, value as Json);
      case 'response':
        return this.#readResponse(base, value as Json);
      case 'malformed':
        return { ...base, kind: 'malformed', value };
    }
  }

  #readMessages(line: TraceLine, from: Side, value: unknown): readonly Message[] {
    const size = line.text.length;
    if (!Array.isArray(value)) return [this.#readOne(line, from, value, size)];
    return value.slice(0, MAX_BATCHED).map((one) => this.#readOne(line, from, one, size / value.length));
  }

  /** Processes a line that is not a message. Returns whether a new process was started. */
  #readOther(line: TraceLine): boolean {
    const state = this.#state;
    if (line.kind === 'session') {
      state.head = line.about ?? state.head;
      if (state.head?.recorder === 'server' && state.head.transport === 'http') this.#mix();
    } else if (line.kind === 'lost') this.miss(line.from);
    else if (line.kind === 'http') state.exchanges.http(line);
    else if (line.kind === 'note' && CLOSED.test(line.text)) state.closed ??= { n: line.n, at: line.at, by: line.from };
    else if (line.kind === 'open') {
      const again = this.#spoken;
      this.#spoken = true;
      if (again) this.#renew(true);
      return again;
    }
    return false;
  }
}

/** Returns whether this is `initialize` without the metadata of 2026-07-28, which has no handshake. */
function beginsHandshake(from: Side, value: unknown): boolean {
  return (
    from === 'client' &&
    isObject(value) &&
    value['method'] === 'initialize' &&
    typeof claimOf(metaOf(value['params'])) !== 'string'
  );
}
