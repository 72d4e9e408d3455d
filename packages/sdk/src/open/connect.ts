import { openClient } from '../client/client.ts';
import { systemClock } from '../client/clock.ts';
import type { ClientOptions } from '../client/options.ts';
import type { Client } from '../client/types.ts';
import type { Contract, Contracted, ContractOf, SERVER } from '../protocol/contract.ts';
import type { ClientAuth } from '../protocol/client-auth.ts';
import type { Principal } from '../protocol/request-context.ts';
import { checkOptions, type KnownOptions } from '../protocol/known-options.ts';
import { withLimits } from '../protocol/limits.ts';
import type { ServeOptions } from '../transport/serve.ts';
import { type HeadersOption, type DialOptions, traceChannel } from './dial-options.ts';
import { classifyTarget, type Target, type ClassifiedTarget } from './target.ts';
import type { Dialer } from '../client/dialer.ts';
import { channelTransport } from '../client/client-transport.ts';

/** How to connect. Everything is optional. */
export interface ConnectOptions extends ClientOptions {
  /** Start a command again when its process ended unexpectedly. Default true. */
  readonly restart?: boolean;
  /** The caller that a server value of this program sees as `ctx.principal`. Default: none. */
  readonly principal?: Principal;
  /** How a server value of this program is served, such as its `store`. Default: `log` of the client. */
  readonly serve?: ServeOptions;
  /**
   * Headers of every HTTP request: `{ authorization: 'Bearer …' }`, or a function that is called for each request. They are sent only to the
   * origin of the URL. Default: none.
   */
  readonly headers?: HeadersOption;
  /** Gets and keeps the credentials for a server at a URL: `oauth({ … })` of `tenon/auth`. Default: none. */
  readonly auth?: ClientAuth;
  /** Sends HTTP requests. Default: the fastest way of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
}

const OPTIONS: KnownOptions<ConnectOptions> = {
  revision: 1,
  info: 1,
  elicit: 1,
  answers: 1,
  sample: 1,
  roots: 1,
  extensions: 1,
  tasks: 1,
  experimental: 1,
  timeout: 1,
  maxTimeout: 1,
  connectTimeout: 1,
  pingEvery: 1,
  limits: 1,
  log: 1,
  cache: 1,
  logLevel: 1,
  onLog: 1,
  onNotification: 1,
  onTrace: 1,
  signal: 1,
  eras: 1,
  clock: 1,
  use: 1,
  restart: 1,
  principal: 1,
  serve: 1,
  headers: 1,
  auth: 1,
  fetch: 1,
};

/**
 * Connects to a server: a server value of this program, the URL of a server, a command that is started and spoken to over its stdin and stdout,
 * or a channel. The calls of a server value are typed.
 *
 * Rejects with a `ConnectionError` when there is no server or no common revision, a `TimeoutError` when it does not answer, a `PeerError` when its
 * answers are malformed, an `AbortError` when `signal` aborts, and a `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { server, tool } from 'tenon';
 * import { connect } from 'tenon/client';
 *
 * const app = server({ name: 'clock', tools: { now: tool({}, () => new Date().toISOString()) } });
 * await using client = await connect(app);
 * const time: string = await client.call('now');
 * ```
 */
export async function connect<C extends Contract>(
  server: Contracted<C> & { readonly [SERVER]: unknown },
  options?: ConnectOptions,
): Promise<Client<C>>;
/**
 * The same for every other target. `connect<typeof app>(…)` types the calls; the client needs only the type of the server.
 *
 * @example
 * ```ts
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] });
 * for await (const { name } of client.tools()) console.log(name);
 * ```
 */
export async function connect<App = unknown>(
  target: Target,
  options?: ConnectOptions,
): Promise<Client<ContractOf<App>>>;
export async function connect(target: unknown, options: ConnectOptions = {}): Promise<Client> {
  checkOptions(options, OPTIONS);
  const { restart = true, serve = {}, clock = systemClock, onTrace } = options;
  const principal = options.principal ?? serve.principal;
  const limits = withLimits(options.limits);
  const dialer = await dialerOf(classifyTarget(target), {
    limits,
    clock,
    timeout: options.timeout ?? limits.requestMs,
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

/** The dialer of a target. The code for each kind of target is loaded only when it is needed. */
async function dialerOf(target: ClassifiedTarget, options: DialOptions): Promise<Dialer> {
  const partition = options.principal?.id ?? '';
  if (target.kind === 'url') {
    const { dialUrl } = await import('./dial-url.ts');
    return dialUrl(target.url.href, options, partition);
  }
  if (target.kind === 'server') {
    const { dialServer } = await import('./dial-server.ts');
    return dialServer(target.server, options, partition);
  }
  if (target.kind === 'command') {
    const { dialCommand } = await import('./dial-command.ts');
    return dialCommand(target.command, options, partition);
  }
  return {
    open: async () => channelTransport(traceChannel(await target.open(), options), options.limits),
    key: undefined,
    reopens: target.reopens,
    restarts: target.reopens && options.restart,
    server: crypto.randomUUID(),
    partition,
  };
}
