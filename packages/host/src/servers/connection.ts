import { type Client, connect, type ConnectOptions, type Target, TimeoutError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { Guard } from './guard.ts';

/** Where a server of a host is in its life. */
export type ServerState = 'waiting' | 'starting' | 'ready' | 'failed' | 'refused' | 'idle' | 'stopped';

/** A server as a host shows it. */
export interface ServerView {
  readonly alias: string;
  readonly state: ServerState;
  /** Why it is not ready. */
  readonly problem: string | undefined;
  readonly revision: string | undefined;
  /** Name and version in its own words. */
  readonly says: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  /** Milliseconds from start to ready, the last time. */
  readonly startMs: number | undefined;
}

export interface ConnectionOptions {
  readonly config: ServerConfig;
  readonly guard: Guard;
  /** A server that is not ready by then has failed, in milliseconds. */
  readonly startMs: number;
  /** Asks whether it may start, and gives the configuration with its variables filled in. Undefined: no. */
  approve(signal: AbortSignal): Promise<ServerConfig | undefined>;
  /** What the client is connected with. */
  readonly client: ConnectOptions;
  ready(client: Client): Promise<void>;
  gone(): void;
  changed(): void;
}

/** After so many failures in a row it is not tried again by itself. */
const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that lives answers a ping within this time. */
const PING_MS = 5_000;

const targetOf = ({ launch }: ServerConfig, guard: Guard): Target => {
  if (launch.kind === 'value') return launch.target;
  if (launch.kind !== 'stdio') return launch.url;
  const { command, args, env, cwd } = launch;
  return { command, args, env, onStart: guard.watch, ...(cwd === undefined ? {} : { cwd }) };
};

/** Waits for a promise, but not longer than until the signal. */
const before = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    ),
  ]);

/** Mistakes of the configuration: trying again changes nothing. */
const isHopeless = (error: unknown): boolean => error instanceof TypeError || /ENOENT|EACCES/.test(String(error));

/** One server of a host: asks before it starts it, starts it, begins again when it fails, and stops it. */
export class Connection {
  readonly alias: string;
  state: ServerState = 'stopped';
  problem: string | undefined;
  startMs: number | undefined;
  client: Client | undefined;
  readonly #options: ConnectionOptions;
  #life = new AbortController();
  #failures = 0;
  /** It failed, and is tried again after a while. */
  #retrying = false;
  /** What it was started with, once it was. */
  #config: ServerConfig | undefined;
  #running: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;

  constructor(options: ConnectionOptions) {
    this.alias = options.config.alias;
    this.#options = options;
  }

  /** Starts it, or waits for the start that is on its way. Never rejects: what went wrong is in `problem`. */
  start(): Promise<void> {
    if (this.state === 'ready' || this.#retrying) return Promise.resolve();
    this.#running ??= this.#start().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** The client, started if it was idle. Throws an `Error` that says why there is none. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    if (this.state === 'idle' || this.state === 'starting') await this.start();
    if (this.client === undefined)
      throw new Error(`The server '${this.alias}' is not there: ${this.problem ?? this.state}`);
    this.#busy++;
    const { client } = this;
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof TimeoutError) void this.#examine(client);
      throw error;
    } finally {
      this.#busy--;
      this.#rest();
    }
  }

  async stop(state: ServerState = 'stopped'): Promise<void> {
    clearTimeout(this.#idle);
    this.#life.abort(new Error(`The server '${this.alias}' is stopped`));
    this.#life = new AbortController();
    this.#retrying = false;
    const { client } = this;
    this.client = undefined;
    this.#failures = 0;
    this.#enter(state);
    if (client !== undefined) this.#options.gone();
    await client?.close();
    await this.#running;
  }

  view(): ServerView {
    const { client } = this;
    return {
      alias: this.alias,
      state: this.state,
      problem: this.problem,
      revision: client?.revision,
      says: client?.server,
      instructions: client?.instructions,
      startMs: this.startMs,
    };
  }

  #enter(state: ServerState, problem?: string): void {
    this.state = state;
    this.problem = problem;
    this.#options.changed();
  }

  async #start(): Promise<void> {
    const { signal } = this.#life;
    this.#enter('waiting');
    try {
      const config = await this.#options.approve(signal);
      if (config === undefined) return this.#enter('refused', 'it was not allowed to start');
      this.#enter('starting');
      if (await this.#attempt(config, signal)) return;
      // It failed, and who waits need not wait until it is tried again.
      void this.#again(config, signal);
    } catch (error) {
      if (!signal.aborted) this.#enter('failed', error instanceof Error ? error.message : String(error));
    }
  }

  async #again(config: ServerConfig, signal: AbortSignal): Promise<void> {
    this.#retrying = true;
    do await this.#pause(signal);
    while (!signal.aborted && !(await this.#attempt(config, signal)));
    if (!signal.aborted) this.#retrying = false;
  }

  /** True when there is nothing more to try. */
  async #attempt(config: ServerConfig, signal: AbortSignal): Promise<boolean> {
    const { guard, startMs, client: options } = this.#options;
    const began = performance.now();
    const late = AbortSignal.timeout(startMs);
    const headers = 'headers' in config.launch ? { headers: config.launch.headers } : {};
    try {
      const client = await connect(targetOf(config, guard), {
        ...options,
        ...headers,
        signal: AbortSignal.any([signal, late]),
      });
      if (signal.aborted) {
        await client.close();
        return true;
      }
      this.client = client;
      await before(late, this.#options.ready(client));
      this.startMs = performance.now() - began;
      this.#failures = 0;
      this.#config = config;
      this.#enter('ready');
      this.#rest();
      void client.closed.then((reason) => this.#lost(client, reason));
      return true;
    } catch (error) {
      await this.client?.close();
      this.client = undefined;
      const problem = late.aborted
        ? `it did not answer within ${startMs / 1000} seconds`
        : error instanceof Error
          ? error.message
          : String(error);
      this.#failures++;
      const over = late.aborted || isHopeless(error) || this.#failures >= MOST_FAILURES;
      if (!signal.aborted) this.#enter(over ? 'failed' : 'starting', problem);
      return over || signal.aborted;
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }

  /** It did not answer in time. A server that does not even answer that it is there is started anew. */
  async #examine(client: Client): Promise<void> {
    const answers = await client.ping({ timeout: PING_MS }).then(
      () => true,
      () => false,
    );
    const config = this.#config;
    if (answers || this.client !== client || config === undefined) return;
    const { signal } = this.#life;
    this.client = undefined;
    this.#options.gone();
    this.#failures = 1;
    this.#enter('starting', 'it did not answer any more');
    await client.close();
    if (!signal.aborted) await this.#again(config, signal);
  }

  /** The client tried to begin again and gave up. */
  #lost(client: Client, reason: Error | undefined): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.#options.gone();
    this.#enter('failed', reason?.message ?? 'the connection ended');
  }

  #rest(): void {
    const { idleMs } = this.#options.config;
    if (idleMs === undefined || this.#busy > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.stop('idle'), idleMs);
    this.#idle.unref();
  }
}
