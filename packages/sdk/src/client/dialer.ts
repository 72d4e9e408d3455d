import type { ClientTransport } from './client-transport.ts';

/** Opens connections to one server. */
export interface Dialer {
  open(): ClientTransport | Promise<ClientTransport>;
  /** The server's key in the era memory, from its command or URL. Undefined: its era is not remembered. */
  readonly key: string | undefined;
  /** Can `open` be called again, for a new process? */
  readonly reopens: boolean;
  /** Is the connection made again when it ends unexpectedly? Needs `reopens`. */
  readonly restarts: boolean;
  /** The URL of the server, if it has one. */
  readonly url?: string;
  /** Identifies the server, for cached results. */
  readonly server: string;
  /** Identifies the user, so that private cached results are not shown to others. */
  readonly partition: string;
  /** Set if the server is reached over HTTP. */
  readonly http?: HttpDialer;
  /** Set if the server runs in this program. */
  readonly explain?: Explain | undefined;
}

/**
 * Rethrows an error of a server in the same program with the original error as its cause, if that is known. Other clients only get an id for
 * an internal error of the server; this is for tests.
 */
export type Explain = (error: unknown) => never;

/** What negotiation needs to know about HTTP. */
export interface HttpDialer {
  /** Is the reason of a failed request hidden, as in a browser? */
  readonly opaque: boolean;
  /** The status of the last response. */
  status(): number | undefined;
  /** Connects to a server of 2024-11-05, which uses HTTP+SSE. */
  fallback(): Promise<ClientTransport>;
}
