import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import type { JsonObject, Response } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ChangingList } from '../../server/changes.ts';
import type { ClientRequests, NextId } from './client-requests.ts';
import { OutsideCalls } from './outside-calls.ts';
import type { Caller, MessageWriter, Peer } from './server-call.ts';

/** The agreement between a legacy client and the server. */
export interface Agreement {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  /** The lists for which the server announced change notifications. */
  readonly lists: ReadonlySet<ChangingList>;
}

const NO_URIS: ReadonlySet<string> = new Set();

/**
 * The agreement with a legacy peer, and the requests that wait for its responses. It is also the caller of the peer's calls. It is the same
 * for every transport. There may be many idle sessions, so members that most of them never need are created on demand.
 */
export class Session implements Agreement, Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly lists: ReadonlySet<ChangingList>;
  /** The principal of the latest request. */
  principal: Peer['principal'];
  /** Sends the server's messages outside calls. */
  readonly outside: OutsideCalls;
  readonly quotaKey: string | undefined;
  /** Log messages below this level are not sent. A change also applies to running calls. */
  level: LogLevel = 'info';
  readonly #nextId: NextId;
  readonly #limits: Limits;
  #subscribed: Set<string> | undefined;
  #requests: ClientRequests | undefined;
  #initialized = false;
  #closed = false;

  constructor(
    { revision, capabilities, client, lists }: Agreement,
    { principal, quotaKey }: Peer,
    nextId: NextId,
    limits: Limits,
    writer: MessageWriter,
  ) {
    this.revision = revision;
    this.capabilities = capabilities;
    this.client = client;
    this.lists = lists;
    this.principal = principal;
    this.quotaKey = quotaKey;
    this.#nextId = nextId;
    this.#limits = limits;
    this.outside = new OutsideCalls(this, writer);
  }

  /** The client has sent `notifications/initialized`. */
  get initialized(): boolean {
    return this.#initialized;
  }

  /** Returns false if it has sent that before. */
  markInitialized(): boolean {
    if (this.#initialized) return false;
    this.#initialized = true;
    this.#requests?.start();
    return true;
  }

  /** URIs the client subscribed to. */
  get subscribed(): ReadonlySet<string> {
    return this.#subscribed ?? NO_URIS;
  }

  subscribe(uri: string): void {
    (this.#subscribed ??= new Set()).add(uri);
  }

  unsubscribe(uri: string): void {
    this.#subscribed?.delete(uri);
  }

  /** The session is the caller of its calls. */
  get session(): OutsideCalls {
    return this.outside;
  }

  /** As a caller: log messages below this level are not sent. */
  get logLevel(): LogLevel {
    return this.level;
  }

  /** Sends a request to the client through the writer of a call. Rejects like `ClientRequests.request`. */
  async sendRequest(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    writer: MessageWriter,
  ): Promise<JsonObject> {
    if (this.#requests === undefined) {
      // Most sessions never send requests to the client.
      const { ClientRequests } = await import('./client-requests.ts');
      this.#requests ??= new ClientRequests(this.#nextId, this.#limits.requestMaxMs, this.#initialized);
      if (this.#closed) this.#requests.close();
    }
    return this.#requests.request(method, params, signal, writer);
  }

  /** Is a call waiting for the client? */
  get asks(): boolean {
    return this.#requests?.any === true;
  }

  /** Handles a response of the client; returns whether it belongs to an open request. */
  settle(response: Response): boolean {
    return this.#requests?.settle(response) === true;
  }

  /** Rejects all requests that wait for the client. */
  close(): void {
    this.#closed = true;
    this.outside.end();
    this.#requests?.close();
  }
}
