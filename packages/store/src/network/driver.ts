import { StoreError } from '../store-error.ts';

/** What a connection needs to know about the kind of its server. */
export interface Driver<Client> {
  /** Names the server in messages, without a password. */
  readonly place: string;
  /** Connects, logs in, and checks that the server can be used, within `ms` milliseconds. */
  open(ms: number): Promise<Client>;
  /** Whether a connection can be used. */
  isOpen(client: Client): boolean;
  /** Ends a connection at once. What waits for an answer rejects. */
  disconnect(client: Client): void;
  /** Whether an error says that the server did nothing, and that it, or another one in its place, may do it later. */
  isTemporary(error: unknown): boolean;
  /** Whether an error is the answer of the server, which it would give again. */
  isFinal(error: unknown): boolean;
  /** Translates an error that is final. */
  explained(error: unknown): unknown;
}

/** What a bus needs to know about it as well. Channels are texts of letters, digits, and few other characters. */
export interface BusDriver<Client> extends Driver<Client> {
  /** The channel of a topic, which may be any text. */
  channelOf(topic: string): string;
  /** Resolves when the server has the message. */
  publish(client: Client, channel: string, json: string): Promise<unknown>;
  /** Resolves when the messages of the channels arrive. */
  subscribe(client: Client, channels: readonly string[]): Promise<unknown>;
  unsubscribe(client: Client, channel: string): Promise<unknown>;
  /** Calls a function for each message, and one when the connection has ended. Called once, for a new connection. */
  listen(client: Client, received: (channel: string, json: string) => void, ended: () => void): void;
  /** Resolves when the server answers. */
  ping(client: Client): Promise<unknown>;
}

/** The delay before the next attempt to connect, in milliseconds: doubled each time, with jitter. */
export const PAUSE_MS = { first: 10, most: 500 };

/** The error for what waited in vain. */
export function unavailable(place: string, what: string, cause: unknown): StoreError {
  return new StoreError('unavailable', `${place} ${what}`, { cause: causeOf(cause) });
}

/** The error after `close`. */
export function closed(place: string): StoreError {
  return new StoreError('closed', `The connection to ${place} is closed`);
}

/** The error of a library, without its further members, which contain passwords and values. */
export function causeOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const { code } = error as NodeJS.ErrnoException;
  return Object.assign(new Error(error.message), code === undefined ? {} : { code });
}
