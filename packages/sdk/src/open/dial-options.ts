import type { Clock } from '../client/clock.ts';
import type { Channel } from '../protocol/channel.ts';
import type { ClientAuth } from '../protocol/client-auth.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Fields } from '../transport/http-client/http-sender.ts';
import type { ServeOptions } from '../transport/serve.ts';
import type { ClientTracer } from '../transport/trace/client-tracer.ts';

/** What of the options concerns the way to the server. */
export interface DialOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly tracer: ClientTracer | undefined;
  readonly restart: boolean;
  readonly principal: Principal | undefined;
  readonly serve: ServeOptions;
  readonly headers: HeadersOption | undefined;
  readonly auth: ClientAuth | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** What every HTTP request carries besides: the same always, or asked for each. */
export type HeadersOption = Fields | (() => Fields | Promise<Fields>);

/** The channel as it is used: told to whoever looks on, if anybody does. */
export function seen(channel: Channel, { tracer }: DialOptions): Channel {
  return tracer?.channel(channel) ?? channel;
}
