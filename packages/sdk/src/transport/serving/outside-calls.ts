import { createSessionContext } from '../../server/call-context.ts';
import { type Caller, type CallerSession, type MessageWriter, ServerCall } from './server-call.ts';

/** For a request that does not exist: messages outside calls are sent as those of a call that is never answered. */
const NO_REQUEST = { id: '', method: '', params: {}, meta: {} };

/** The messages that a server sends to one client outside calls, on a connection or in a session. Created when a handler first needs it. */
export class OutsideCalls implements CallerSession {
  readonly #caller: Caller;
  readonly #writer: MessageWriter;
  #call: ServerCall | undefined;
  #context: object | undefined;

  constructor(caller: Caller, writer: MessageWriter) {
    this.#caller = caller;
    this.#writer = writer;
  }

  get context(): object {
    return (this.#context ??= createSessionContext(this.call));
  }

  /** The call that is never answered. */
  get call(): ServerCall {
    return (this.#call ??= new ServerCall(NO_REQUEST, this.#caller, {
      send: this.#writer.send,
      finish() {},
      drop() {},
      wait() {},
    }));
  }

  /** The connection or session has ended: nothing more is sent, and open questions reject. */
  end(): void {
    this.call.cancel('The connection was closed');
  }
}
