import type { RunningCall } from './running-call.ts';

/** Where the messages that belong to a call are written. */
export interface MessageWriter {
  /** Sends a message. A returned promise settles when the peer can take more; it never rejects. */
  send(text: string): void | Promise<void>;
}

/** Why a call is refused before it runs: its id belongs to another call, or too many calls are running. */
export type RefusalReason = 'id in use' | 'overload';

/** What went wrong with a call, for transports whose answers have a status of their own. */
export interface Failure {
  /** The code of the error in the answer. */
  readonly code: number;
  /** Set where the call was never begun. */
  readonly refused?: RefusalReason;
}

/** How a transport writes the answer to one call. Exactly one of `finish` and `drop` is called. */
export interface ResponseWriter extends MessageWriter {
  /** Called once, if the answer is not there at once. */
  wait(call: RunningCall): void;
  /** Sends the response. `failure` is set where it is an error. */
  finish(text: string, failure?: Failure): void;
  /** Ends without a response: the call was cancelled. */
  drop(): void;
}
