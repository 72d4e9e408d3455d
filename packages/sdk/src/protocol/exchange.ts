import type { ClientCapabilities } from './capabilities.ts';
import type { Implementation } from './entities.ts';
import type { JsonSchema } from './entities.ts';
import type { JsonObject, RequestId } from './jsonrpc.ts';
import type { LogLevel } from './log.ts';
import type { Meta } from './meta.ts';
import type { Revision } from './revision.ts';

/** Who is calling, as the transport established it: by a verified token, or by configuration. Never by what the peer says of itself. */
export interface Principal {
  /** Stable and unique. State and caches are bound to it. */
  readonly id: string;
  readonly scopes?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A tool, as the transport may look at it before a call runs. */
export interface KnownTool {
  readonly name: string;
  readonly entry: { readonly inputSchema: JsonSchema };
}

/** What one call knows of its peer. The transport makes it; that is the whole difference between eras as a server sees it. */
export interface Exchange {
  readonly revision: Revision;
  readonly id: RequestId;
  /** The client's own words: for display and logs only. */
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: Principal | undefined;
  /** Stands for the connection or session of the peer; undefined where its requests stand alone. */
  readonly session?: object | undefined;
  /** The `_meta` of the request. */
  readonly meta: Meta;
  /** Aborted when the caller cancelled, or is gone. */
  readonly signal: AbortSignal;
  /** The same as `signal.aborted`, for those who need no signal. */
  readonly cancelled: boolean;
  /** Log messages below this level are not wanted; undefined: none are. */
  readonly logLevel: LogLevel | undefined;
  /** Called once the tool of a call is known, before its arguments are checked. Throws what the call is answered with. */
  readonly checkTool?: ((tool: KnownTool, args: JsonObject) => void) | undefined;
  /** Sends a notification that belongs to this call. Dropped once the call is answered or cancelled. */
  notify(method: string, params: JsonObject): void | Promise<void>;
  /** Asks the client, in the words of its revision, and waits. Only where the era lets a server send requests. */
  readonly request?: (method: string, params: JsonObject) => Promise<JsonObject>;
}
