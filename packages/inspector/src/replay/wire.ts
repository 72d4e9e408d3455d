import { factsOf } from '../trace/facts.ts';

/** A connection to a server for any texts, valid messages or not. */
export interface Wire {
  /** Sends text unchanged. Rejects when the server has gone. */
  send(text: string): Promise<void>;
  /** Sets the listener for every text that arrives, in order. Called once, before anything is sent. */
  onText(listener: (text: string) => void): void;
  /** Resolves with the reason when nothing more can arrive. */
  readonly ended: Promise<Error>;
  /** Why no message has arrived from the server. Undefined if one has, or nothing has failed so far. */
  unreached(): Error | undefined;
  close(): Promise<void>;
}

/** Tracks whether a server was reached, and the first error. */
export interface Reach {
  /** The server sent this text. */
  heard(text: string): void;
  failed(error: Error): void;
  why(): Error | undefined;
}

export function createReach(): Reach {
  let reached = false;
  let first: Error | undefined;
  return {
    heard(text) {
      if (reached) return;
      const { message } = factsOf({ n: 0, at: 0, session: '', kind: 'message', text });
      reached = message !== undefined && message !== 'invalid';
    },
    failed(error) {
      first ??= error;
    },
    why: () => (reached ? undefined : first),
  };
}
