import type { Clock } from '../client/clock.ts';
import type { TraceEntry } from '../client/trace.ts';
import type { ClientAuth } from '../protocol/client-auth.ts';
import type { Principal } from '../protocol/exchange.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Fields } from '../transport/http-client/fly.ts';
import type { ServeOptions } from '../transport/serve.ts';

/** What of the options concerns the way to the server. */
export interface DialOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly trace: ((entry: TraceEntry) => void) | undefined;
  readonly restart: boolean;
  readonly principal: Principal | undefined;
  readonly serve: ServeOptions;
  readonly headers: HeadersOption | undefined;
  readonly auth: ClientAuth | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** What every HTTP request carries besides: the same always, or asked for each. */
export type HeadersOption = Fields | (() => Fields | Promise<Fields>);
