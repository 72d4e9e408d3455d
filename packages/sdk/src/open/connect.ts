import { openClient } from '../client/client.ts';
import { systemClock } from '../client/clock.ts';
import type { ClientOptions } from '../client/options.ts';
import type { Client } from '../client/types.ts';
import type { Contract, Contracted, ContractOf, SERVER } from '../protocol/contract.ts';
import type { ClientAuth } from '../protocol/client-auth.ts';
import type { Principal } from '../protocol/exchange.ts';
import { withLimits } from '../protocol/limits.ts';
import type { ServeOptions } from '../transport/serve.ts';
import type { HeadersOption } from './dial-options.ts';
import { dialerOf } from './dial.ts';
import { sortTarget, type Target } from './target.ts';

/** How to connect. Everything is optional. */
export interface ConnectOptions extends ClientOptions {
  /** Start a command again when its process ended unexpectedly. Default true. */
  readonly restart?: boolean;
  /** The caller that a server value of this program sees as `ctx.principal`. Default: none. */
  readonly principal?: Principal;
  /** How a server value of this program is served, such as its `store`. Default: `log` of the client. */
  readonly serve?: ServeOptions;
  /** What every HTTP request carries besides: `{ authorization: 'Bearer …' }`, or a function that is asked for each. It goes to the origin of the URL only. */
  readonly headers?: HeadersOption;
  /** Gets and keeps the credentials for a server at a URL: `oauth({ … })` of `tenon/auth`. */
  readonly auth?: ClientAuth;
  /** Sends HTTP requests. Default: the fastest way of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Connects to a server and gives a client, whatever the server is and speaks: a server value of this program, the address of one
 * over HTTP, a command that is started and spoken to over its stdin and stdout, or a channel of one's own.
 *
 * With the type of a server, calls are typed: `connect<typeof app>(…)`.
 *
 * Rejects with a `ConnectionError` when there is no server or no common revision, `TimeoutError` when it does not answer, `PeerError` when its
 * answers are malformed, `AbortError`; throws a `TypeError` for options that make no sense.
 *
 * @example
 * ```ts
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] });
 * for await (const { name } of client.tools()) console.log(name);
 * ```
 */
export async function connect<C extends Contract>(
  server: Contracted<C> & { readonly [SERVER]: unknown },
  options?: ConnectOptions,
): Promise<Client<C>>;
/**
 * The same for a server that is not a value of this program. Its type, if there is one to import, types the calls.
 *
 * @example
 * ```ts
 * import { connect } from 'tenon/client';
 * import { server, tool } from 'tenon';
 *
 * // In a program of its own; the client imports only the type.
 * const app = server({ name: 'clock', tools: { now: tool({}, () => new Date().toISOString()) } });
 *
 * await using client = await connect<typeof app>('https://clock.example.com/mcp');
 * const time: string = await client.call('now');
 * ```
 */
export async function connect<App = unknown>(
  target: Target,
  options?: ConnectOptions,
): Promise<Client<ContractOf<App>>>;
export async function connect(target: unknown, options: ConnectOptions = {}): Promise<Client> {
  const { restart = true, principal, serve = {}, clock = systemClock, onTrace } = options;
  const limits = withLimits(options.limits);
  const dialer = await dialerOf(sortTarget(target), {
    limits,
    clock,
    tracer: onTrace && (await import('../transport/trace/client-tracer.ts')).createClientTracer(onTrace, limits, clock),
    restart,
    principal,
    headers: options.headers,
    auth: options.auth,
    fetch: options.fetch,
    serve: { log: options.log, ...serve },
  });
  return openClient(dialer, options);
}
