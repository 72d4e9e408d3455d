import type { Authenticate, Gatekeeper } from '../../protocol/auth.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import type { EngineOptions } from '../../server/engine.ts';
import type { Bus } from '../../store/bus.ts';

/** How a server is served over HTTP, whoever takes the requests. */
export interface HttpOptions extends EngineOptions {
  /** The path of the endpoint. Without it every path is, as whoever takes the requests has chosen already. */
  readonly path?: string;
  /** Names by which clients call the server: `mcp.example.com`, or `localhost:3000` for one port only. Default: the names of this machine for itself. */
  readonly allowedHosts?: readonly string[] | string;
  /** Pages that may call from a browser: `https://app.example.com`. Default: pages of the hosts. */
  readonly allowedOrigins?: readonly string[] | string;
  /** Tells who is calling: a function, or `protectedResource({ … })` of `tenon/auth`. Without it nobody has a name. */
  readonly auth?: Authenticate | Gatekeeper;
  /**
   * Legacy clients get sessions. Default true. Without, each of their requests stands alone: nothing can be asked or told in between, and log
   * messages of calls are not sent to them, as there is no level that they could set (2025-11-25, "Logging"). Progress is.
   */
  readonly sessions?: boolean;
  /**
   * Leave a stream that has been open for `afterMs` milliseconds, and let its client come back for the rest after `retryMs` (default 1,000):
   * calls that take long then hold no connection. For clients of 2025-11-25, which know how. Default: streams stay open.
   */
  readonly polling?: { readonly afterMs: number; readonly retryMs?: number };
  /** Also serve clients of 2024-11-05: they listen at `/sse` and post to `/messages`. Default false. */
  readonly sse?: boolean;
  /**
   * How nodes tell each other what concerns their sessions and subscriptions. Together with a `store` that they share, and the same
   * `keys`, any node can take any request.
   */
  readonly bus?: Bus;
  /**
   * The header in which the proxy in front says the address of a client: `x-forwarded-for`. Its last address counts. Only for what callers
   * without a principal may take, and only where every request comes through the proxy. Default: the address of the connection.
   */
  readonly addressHeader?: string;
  /** How long running calls may go on when the server is closed, in milliseconds. Default 10,000. */
  readonly drainMs?: number;
  /** Gets everything that passes, in both directions. It may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
}
