import type { SessionHead, Side } from '../trace/line.ts';
import type { Exchanges } from './http/exchanges.ts';
import type { ListedTools } from './listed-tools.ts';
import type { Revision } from './revisions.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { Json } from './words.ts';

/** The state of a session at the current line: the revision, the capabilities of both sides, the pending requests. */
export interface SessionState {
  readonly name: string;
  readonly head: SessionHead | undefined;
  /** The state of the handshake. 2026-07-28 has none. */
  readonly handshake: 'none' | 'asked' | 'answered' | 'ready';
  /** The revision negotiated in the handshake. */
  readonly negotiated: Revision | undefined;
  /** The revision of messages that do not declare one. */
  readonly revision: Revision | undefined;
  /** The client declares the revision in each request, as since 2026-07-28. */
  readonly modern: boolean;
  /** The server has proved that it supports 2026-07-28. Until then, its answers may be of an earlier revision. */
  readonly provenModern: boolean;
  /** The capabilities of the client, from the handshake. */
  readonly clientCapabilities: Json | undefined;
  /** The capabilities of the server, from the handshake or from `server/discover`. */
  readonly serverCapabilities: Json | undefined;
  /** Pending requests, by their sender. */
  readonly waiting: PendingRequests['open'];
  /** More requests were pending than are kept. */
  readonly forgetful: boolean;
  /** Lines of this side are lost or damaged. A message that seems to be missing may be among them. */
  readonly lost: Readonly<Record<Side, boolean>>;
  /** The number of processes and handshakes so far. */
  readonly generation: number;
  /** The side that closed the connection, if the recorder noted it. */
  readonly closed: { readonly n: number; readonly at: number; readonly by: Side | undefined } | undefined;
  /** The number and the time of the newest line of the session. */
  readonly last: { readonly n: number; readonly at: number };
  /** The end of the trace; until then, the time of the newest line of the session. */
  readonly until: number;
  readonly tools: ListedTools;
  readonly exchanges: Exchanges;
  /**
   * The session mixes several clients, as in an HTTP recording by a server. Then ids are qualified by their exchange, and neither
   * handshakes nor capabilities are known.
   */
  readonly mixed: boolean;
}
