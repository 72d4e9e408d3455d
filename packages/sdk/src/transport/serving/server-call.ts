import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import type { MessageText } from '../../protocol/message-text.ts';
import type { RequestContext, KnownTool, Principal } from '../../protocol/request-context.ts';
import type { ErrorObject, JsonObject, RequestId } from '../../protocol/jsonrpc.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { Meta } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import { encodeNotification } from '../../wire/encode.ts';
import type { IncomingRequest } from './message.ts';

/** Writes the messages that belong to a call. */
export interface MessageWriter {
  /** Sends a message. A returned promise resolves when the peer can take more; it never rejects. */
  send(text: string): void | Promise<void>;
}

/** Why a call is refused before it runs: its id belongs to another call, too many calls are running, or too many came in a short time. */
export type RefusalReason = 'id in use' | 'overload' | 'rate';

/** Why a call may not begin. */
export interface CallRefusal {
  readonly reason: RefusalReason;
  readonly error: ErrorObject;
}

/** Why a call failed, for transports that send a status besides the response. */
export interface Failure {
  /** The code of the error in the response. */
  readonly code: number;
  /** Set if the call never began. */
  readonly refused?: RefusalReason;
  /** What was thrown, if it began. */
  readonly error?: unknown;
}

/** Writes the response to one call, as the transport sends it. Exactly one of `finish` and `drop` is called. */
export interface ResponseWriter extends MessageWriter {
  /** Called once, if there is no response at once. */
  wait(call: ServerCall): void;
  /** Sends the response. `failure` is set if it is an error. */
  finish(text: MessageText, failure?: Failure): void;
  /** Ends without a response: the call was cancelled. */
  drop(): void;
  /** Waits for the peer to read what was sent. Only on channels where messages may arrive together. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** The sender of requests, as the transport knows it. */
export interface Peer {
  /** Undefined where clients are not authenticated. */
  readonly principal: Principal | undefined;
  /** The key under which its calls are counted together; undefined if it is unknown, or not used for counting. */
  readonly quotaKey: string | undefined;
}

/** The connection or session that calls belong to. */
export interface CallerSession {
  /** The `session` that handlers get. */
  readonly context: object;
  /** Sends messages that belong to no call. */
  readonly call: Pick<RequestContext, 'notify'>;
}

/** The caller of a call and its capabilities, determined as its era does. */
export interface Caller extends Peer {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly session?: CallerSession;
  readonly logLevel: LogLevel | undefined;
  /** Only where the server may send requests. */
  readonly sendRequest?: (
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    writer: MessageWriter,
  ) => Promise<JsonObject>;
}

/** Checks the tool of a call before the call runs. Throws the error with which the call is answered. */
export type ToolCheck = (tool: KnownTool, args: JsonObject) => void;

/** Looks up a header of the HTTP request that brought a call. */
type HeaderLookup = NonNullable<RequestContext['header']>;

/** A call: a request of any method, from its arrival to its answer. It is also the `RequestContext` of its handler: one object per call. */
export class ServerCall implements RequestContext {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: Meta;
  readonly writer: ResponseWriter;
  readonly sendRequest: RequestContext['sendRequest'];
  readonly checkTool: ToolCheck | undefined;
  readonly header: HeaderLookup | undefined;
  readonly caller: Caller;
  /** The values that middleware added for the handler. */
  state: object | undefined;
  /** Its place among the running calls of an endpoint. */
  place = 0;
  #asked = 0;
  #controller: AbortController | undefined;
  /** Aborts questions to the client when the call ends, even if the handler continues. */
  #questions: AbortController | undefined;
  #ended = false;
  #cancelled = false;
  #reason = '';
  #notified = false;

  constructor(
    { id, method, params, meta }: Omit<IncomingRequest, 'kind'>,
    caller: Caller,
    writer: ResponseWriter,
    header?: HeaderLookup,
    check?: ToolCheck,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.meta = meta;
    this.writer = writer;
    this.checkTool = check;
    this.header = header;
    this.caller = caller;
    this.sendRequest =
      caller.sendRequest === undefined ? undefined : (method, params) => this.#sendRequest(method, params);
  }

  get revision(): Revision {
    return this.caller.revision;
  }

  get client(): Implementation | undefined {
    return this.caller.client;
  }

  get capabilities(): ClientCapabilities {
    return this.caller.capabilities;
  }

  get principal(): Principal | undefined {
    return this.caller.principal;
  }

  get quotaKey(): string | undefined {
    return this.caller.quotaKey;
  }

  get session(): object | undefined {
    return this.caller.session?.context;
  }

  get logLevel(): LogLevel | undefined {
    return this.caller.logLevel;
  }

  /** Created when it is first read: most calls end without it. */
  get signal(): AbortSignal {
    return (this.#controller ??= this.#startController()).signal;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get asking(): boolean {
    return this.#asked > 0;
  }

  /** It has been answered. */
  get ended(): boolean {
    return this.#ended;
  }

  notify(method: string, params: JsonObject): void | Promise<void> {
    // Nothing may be sent after the response, or after a cancellation.
    if (this.#ended || this.#cancelled) return undefined;
    this.#notified = true;
    return this.writer.send(encodeNotification(method, params, this.revision));
  }

  announce(method: string, params: JsonObject): void | Promise<void> {
    return this.#ended ? this.caller.session?.call.notify(method, params) : this.notify(method, params);
  }

  /**
   * Waits between a notification and the answer; undefined where nothing was sent before the answer. Official clients (versions 1 and 2)
   * drop progress that arrives in one chunk with the result: they handle a notification later than the response behind it.
   */
  get pause(): (() => Promise<void>) | undefined {
    return this.#notified ? this.writer.pause : undefined;
  }

  /** The response is being sent: later notifications are dropped, and questions to the client aborted. */
  end(): void {
    this.#ended = true;
    this.#questions?.abort(aborted('The call was answered without waiting for it'));
  }

  /** Handlers pass the signal to what they await, which rejects with its reason: an `AbortError` with this message. */
  cancel(reason: string): void {
    if (this.#ended || this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(aborted(reason));
    this.#questions?.abort(aborted(reason));
  }

  stop(reason: string): void {
    (this.#controller ??= this.#startController()).abort(aborted(reason));
    this.#questions?.abort(aborted(reason));
  }

  #sendRequest(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#ended) {
      // A server sends requests only while it answers a call of the client.
      const message = `${method} came too late: the call it belongs to has been answered`;
      return Promise.reject(new ConnectionError('too-late', message));
    }
    const { signal } = (this.#questions ??= this.#startController());
    this.#asked++;
    return this.caller.sendRequest!(method, params, signal, this.writer).finally(() => this.#asked--);
  }

  #startController(): AbortController {
    const controller = new AbortController();
    if (this.#cancelled) controller.abort(aborted(this.#reason));
    return controller;
  }
}

function aborted(reason: string): DOMException {
  return new DOMException(reason, 'AbortError');
}
