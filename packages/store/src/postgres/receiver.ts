/** A message as it is stored. */
export interface MessageRow {
  readonly id: string;
  readonly topic: Buffer;
  readonly body: string;
}

/** What receives messages from other nodes, each at most once and in order. */
export interface Receiver {
  /** Resolves when all messages arrive that are published from now on. Rejects if the database cannot be reached for longer than `busyMs`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The subscriptions of this node, as a receiver needs them. */
export interface Subscribed {
  /** The topics with subscribers. */
  topics(): readonly Buffer[];
  /** Does a topic, in hexadecimal, have subscribers? */
  has(topic: string): boolean;
  /** Passes messages to the subscribers of their topics. */
  deliver(rows: readonly MessageRow[]): void;
  /** Tells the subscribers that messages arrive again after some may have been lost. */
  reportMissed(): void;
}
