import type { Link } from './link.ts';

/** How a connection to one server is made, and made again. */
export interface Dialer {
  open(): Link | Promise<Link>;
  /** Names the server for the memory of eras: the same command, the same address. Undefined: not remembered. */
  readonly key: string | undefined;
  /** Can `open` be called again, for a new connection to a new process? */
  readonly reopens: boolean;
  /** Is a server that ended unexpectedly started again? Needs `reopens`. */
  readonly restarts: boolean;
  /** Tells this server from others, for results that are kept. */
  readonly server: string;
  /** On whose behalf; results that are private to one are not shown to another. */
  readonly partition: string;
  /** Set where the server is reached over HTTP. */
  readonly http?: HttpDialer;
  /** Set where the server is in this program. */
  readonly explain?: Explain | undefined;
}

/**
 * Throws an error again, with what the server really failed with as its cause, if that is known. A peer learns an id only of what went wrong;
 * whoever has the server in the same program, as tests have, gets the error itself.
 */
export type Explain = (error: unknown) => never;

/** What is different over HTTP. */
export interface HttpDialer {
  /** Why a request failed cannot be seen, as in a browser. */
  readonly opaque: boolean;
  /** The status of the last answer to a request. */
  status(): number | undefined;
  /** Reaches a server of 2024-11-05, which listens and speaks in two places. */
  fallback(): Promise<Link>;
}
