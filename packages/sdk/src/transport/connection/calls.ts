import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import { ConnectionError } from '../../protocol/errors.ts';
import type { Exchange, Principal } from '../../protocol/exchange.ts';
import type { JsonObject, Request, RequestId } from '../../protocol/jsonrpc.ts';
import type { LogLevel } from '../../protocol/log.ts';
import { type Meta, metaOf } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import { encodeNotification } from '../../wire/encode.ts';
import { notificationText } from '../../wire/text.ts';
import type { Outbox } from './outbox.ts';

/** Who a call comes from and what it may do, as its era tells. */
export interface Caller {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly principal: Principal | undefined;
  readonly session?: object;
  readonly logLevel: LogLevel | undefined;
  /** Only where the server may send requests. */
  readonly request?: (method: string, params: JsonObject, signal: AbortSignal, outbox: Outbox) => Promise<JsonObject>;
}

/** A request that is being answered. It is the call's exchange, too: one object per call. */
export class RunningCall implements Exchange {
  readonly id: RequestId;
  readonly meta: Meta;
  readonly request: Exchange['request'];
  readonly #caller: Caller;
  readonly #outbox: Outbox;
  #controller: AbortController | undefined;
  /** Ends the questions that wait for the client: with the call, whatever the handler does. */
  #questions: AbortController | undefined;
  #over = false;
  #cancelled = false;
  #reason = '';

  constructor(message: Request, caller: Caller, outbox: Outbox) {
    this.id = message.id;
    this.meta = metaOf(message.params);
    this.#caller = caller;
    this.#outbox = outbox;
    const { request } = caller;
    this.request =
      request === undefined
        ? undefined
        : (method, params) =>
            this.#over
              ? Promise.reject(tooLate(method))
              : request(method, params, (this.#questions ??= this.#startController()).signal, outbox);
  }

  get revision(): Revision {
    return this.#caller.revision;
  }

  get client(): Implementation | undefined {
    return this.#caller.client;
  }

  get capabilities(): ClientCapabilities {
    return this.#caller.capabilities;
  }

  get principal(): Principal | undefined {
    return this.#caller.principal;
  }

  get session(): object | undefined {
    return this.#caller.session;
  }

  get logLevel(): LogLevel | undefined {
    return this.#caller.logLevel;
  }

  /** Made when somebody reads it: most calls end without a look at it. */
  get signal(): AbortSignal {
    return (this.#controller ??= this.#startController()).signal;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  notify(method: string, params: JsonObject): void | Promise<void> {
    // Nothing may follow the answer, or a cancellation.
    if (this.#over || this.#cancelled) return undefined;
    return this.#outbox.send(notificationText(method, encodeNotification(method, params, this.#caller.revision)));
  }

  /** The answer is on its way: notifications from now on are dropped, and nobody waits for answers of the client any more. */
  end(): void {
    this.#over = true;
    this.#questions?.abort(aborted('The call was answered without waiting for it'));
  }

  /** Handlers hand the signal on to what they await, and that rejects with its reason: so it is an `AbortError`, with these words. */
  cancel(reason: string): void {
    if (this.#over || this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(aborted(reason));
    this.#questions?.abort(aborted(reason));
  }

  #startController(): AbortController {
    const controller = new AbortController();
    if (this.#cancelled) controller.abort(aborted(this.#reason));
    return controller;
  }
}

const aborted = (reason: string): DOMException => new DOMException(reason, 'AbortError');

/** A server asks only while it answers a call of the client. */
const tooLate = (method: string): Error =>
  new ConnectionError(`${method} came too late: the call it belongs to has been answered`);
