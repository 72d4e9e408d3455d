import type { Authenticate, Gatekeeper } from '../../protocol/auth.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import type { KnownOptions } from '../../protocol/known-options.ts';
import type { EngineOptions } from '../../server/engine.ts';
import type { Bus } from '../../store/bus.ts';

/** Options for serving over HTTP, independent of the HTTP library. */
export interface HttpOptions extends EngineOptions {
  /** The path of the endpoint. Default: any path, because the caller has already routed the request. */
  readonly path?: string;
  /**
   * Host names of the server: `mcp.example.com`, or `localhost:3000` for one port only. A list, or a text with commas. Default: the
   * loopback names.
   */
  readonly allowedHosts?: readonly string[] | string;
  /**
   * Origins of pages that may call from a browser: `https://app.example.com`. A list, or a text with commas. Default: pages of the hosts.
   */
  readonly allowedOrigins?: readonly string[] | string;
  /** Authenticates callers: a function, or `protectedResource({ … })` of `tenon/auth`. Without it callers have no principal. */
  readonly auth?: Authenticate | Gatekeeper;
  /**
   * Legacy clients get sessions. Default true. Without sessions, each of their requests stands alone: handlers cannot ask the client and it
   * gets no notifications of changes. It gets no log messages of calls either, because it has no way to set a level (2025-11-25, "Logging"),
   * but it gets progress.
   */
  readonly sessions?: boolean;
  /**
   * Close the connection of a stream that has been open for `afterMs` milliseconds, and let the client resume it after `retryMs` (default
   * 1,000): long calls then hold no connection. For clients of 2025-11-25, which support this. Default: connections stay open.
   */
  readonly polling?: {
    /** How long a stream stays open, in milliseconds. */
    readonly afterMs: number;
    /** How long the client waits before it resumes the stream, in milliseconds. Default 1,000. */
    readonly retryMs?: number;
  };
  /** Also serve clients of 2024-11-05 (HTTP+SSE): they listen at `/sse` and post to `/messages`. Default false. */
  readonly sse?: boolean;
  /** Connects the nodes that serve this endpoint. Together with a shared `store` and the same `keys`, any node can serve any request. */
  readonly bus?: Bus;
  /**
   * The header in which a proxy sends the client's address: `x-forwarded-for`. The last address in it counts. Used only for quotas of
   * callers without a principal; safe only if every request comes through the proxy. Default: the address of the connection.
   */
  readonly addressHeader?: string;
  /** How long running calls may continue when the server is closed, in milliseconds. Default 10,000. */
  readonly drainMs?: number;
  /** Called for all traffic, in both directions. Entries may contain secrets. */
  readonly onTrace?: (entry: TraceEntry) => void;
}

/** The names of all options of a server over HTTP. */
export const HTTP_OPTIONS: KnownOptions<HttpOptions> = {
  path: 1,
  allowedHosts: 1,
  allowedOrigins: 1,
  auth: 1,
  sessions: 1,
  polling: 1,
  sse: 1,
  bus: 1,
  addressHeader: 1,
  drainMs: 1,
  onTrace: 1,
  keys: 1,
  store: 1,
  limits: 1,
  log: 1,
  revisions: 1,
};
