import type { Clock } from '../client/clock.ts';
import type { Channel } from '../protocol/channel.ts';
import type { ClientAuth } from '../protocol/client-auth.ts';
import type { Principal } from '../protocol/request-context.ts';
import type { Limits } from '../protocol/limits.ts';
import type { Fields } from '../transport/http-client/http-sender.ts';
import type { ServeOptions } from '../transport/serve.ts';
import type { ClientTracer } from '../transport/trace/client-tracer.ts';

/** The options of `connect` that dialers need. */
export interface DialOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  /** How long the server may take for an answer, in milliseconds. */
  readonly timeout: number;
  readonly tracer: ClientTracer | undefined;
  readonly restart: boolean;
  readonly principal: Principal | undefined;
  readonly serve: ServeOptions;
  readonly headers: HeadersOption | undefined;
  readonly auth: ClientAuth | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** Additional header fields of every HTTP request; a function is called for each request. */
export type HeadersOption = Fields | (() => Fields | Promise<Fields>);

/** The channel, traced if `onTrace` is given. */
export function traceChannel(channel: Channel, { tracer }: DialOptions): Channel {
  return tracer?.channel(channel) ?? channel;
}
