import type { SessionHead, Side } from '../trace/line.ts';
import type { Exchanges } from './http/exchanges.ts';
import type { ListedTools } from './listed-tools.ts';
import type { Revision } from './revisions.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { Json } from './words.ts';

/** What is known of a session when a line is looked at: which revision applies, who declared what, what waits for an answer. */
export interface SessionState {
  readonly name: string;
  readonly head: SessionHead | undefined;
  /** How far the handshake came. 2026-07-28 has none. */
  readonly handshake: 'none' | 'asked' | 'answered' | 'ready';
  /** What the handshake agreed on. */
  readonly negotiated: Revision | undefined;
  /** The revision of messages that do not say it themselves. */
  readonly revision: Revision | undefined;
  /** Requests of the client carry their revision, as since 2026-07-28. */
  readonly modern: boolean;
  /** The server has shown that it speaks 2026-07-28: before that, what it answers may be in older words. */
  readonly provenModern: boolean;
  /** What the client declared in the handshake. */
  readonly clientCapabilities: Json | undefined;
  /** What the server declared, in the handshake or when it was discovered. */
  readonly serverCapabilities: Json | undefined;
  /** Requests without an answer, by who sent them. */
  readonly waiting: PendingRequests['open'];
  /** More requests waited than are remembered. */
  readonly forgetful: boolean;
  /** Something of this side is not in the trace: it was lost, or is damaged. What is missing may be there. */
  readonly lost: Readonly<Record<Side, boolean>>;
  /** Counts processes and handshakes. */
  readonly generation: number;
  /** Who closed the connection, where the recorder says so. */
  readonly closed: { readonly n: number; readonly at: number; readonly by: Side | undefined } | undefined;
  /** The number and the time of the newest line of the session. */
  readonly last: { readonly n: number; readonly at: number };
  /** When the trace ended; before that, the time of the newest line of the session. */
  readonly until: number;
  readonly tools: ListedTools;
  readonly exchanges: Exchanges;
  /**
   * Several clients in one: what a server records of HTTP. Then ids are told apart by the exchange they travel in, and nothing is known of
   * handshakes, nor of who declared what.
   */
  readonly mixed: boolean;
}
