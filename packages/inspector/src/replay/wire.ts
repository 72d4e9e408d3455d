import { factsOf } from '../trace/facts.ts';

/** A connection to a server for texts that are messages, or not. */
export interface Wire {
  /** Sends a text as it is. Rejects when the server is gone. */
  send(text: string): Promise<void>;
  /** Is told of every text that comes, in order. Set once, before anything is sent. */
  onText(listener: (text: string) => void): void;
  /** Resolves with the reason when nothing will come any more. */
  readonly ended: Promise<Error>;
  /** Why not a single message has come from the server. Undefined if one has, or nothing went wrong so far. */
  unreached(): Error | undefined;
  close(): Promise<void>;
}

/** Keeps whether a server was reached, and what went wrong first. */
export interface Reach {
  /** The server said this. */
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
