import { type Client, connect, type ConnectOptions, type Target, TimeoutError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { Approved } from './approval.ts';
import { messageOf } from '../values/message-of.ts';
import type { Guard } from './guard.ts';
import { before, rested } from './waiting.ts';

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
  /** Asks whether it may start, each time it is about to. `started`: what was approved and started before. Undefined: it may not. */
  approve(signal: AbortSignal, started: string | undefined): Promise<Approved | undefined>;
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
/** A server that ends sooner than this after its start has failed. */
const QUICK_MS = 10_000;
/** A server that lives answers a ping within this time. */
const PING_MS = 5_000;

const targetOf = ({ launch }: ServerConfig, guard: Guard): Target => {
  if (launch.kind === 'value') return launch.target;
  if (launch.kind !== 'stdio') return launch.url;
  const { command, args, env, cwd } = launch;
  return { command, args, env, onStart: guard.watch, ...(cwd === undefined ? {} : { cwd }) };
};

/** Mistakes of the configuration: trying again changes nothing. */
const isHopeless = (error: unknown): boolean => error instanceof TypeError || /ENOENT|EACCES/.test(String(error));

/** One server of a host: asks before each start, starts it, begins again when it fails, and stops it. */
export class Connection {
  readonly alias: string;
  state: ServerState = 'stopped';
  problem: string | undefined;
  startMs: number | undefined;
  client: Client | undefined;
  /** Of what was approved and started last. */
  launchDigest: string | undefined;
  readonly #options: ConnectionOptions;
  #life = new AbortController();
  #failures = 0;
  #running: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;
  #since = 0;

  constructor(options: ConnectionOptions) {
    this.alias = options.config.alias;
    this.#options = options;
  }

  /** Starts it, or waits for the start that is on its way. Resolves when it is ready, or has failed once. Never rejects. */
  start(): Promise<void> {
    if (this.state === 'ready' || this.state === 'starting') return this.#running ?? Promise.resolve();
    return this.#begin(undefined);
  }

  /** The client, started if it was idle. Throws an `Error` that says why there is none. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    if (this.state === 'idle') await this.#begin(this.launchDigest);
    else if (this.state === 'waiting' || this.state === 'starting') await this.#running;
    const { client } = this;
    if (client === undefined) throw new Error(`The server '${this.alias}' is not there: ${this.problem ?? this.state}`);
    this.#busy++;
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
    this.#failures = 0;
    this.#enter(state);
    await this.#leave();
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

  async #leave(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client !== undefined) this.#options.gone();
    await client?.close();
  }

  /** One start at a time. Only the first try is waited for; the others come by themselves. */
  #begin(started: string | undefined): Promise<void> {
    this.#running ??= this.#try(started, this.#life.signal)
      .then((again) => {
        if (again) void this.#again(this.#life.signal);
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #again(signal: AbortSignal): Promise<void> {
    do await rested(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - 1)), signal);
    while (!signal.aborted && (await this.#try(this.launchDigest, signal)));
  }

  /** Asks and starts. True: it failed, and may be tried again. Never rejects. */
  async #try(started: string | undefined, signal: AbortSignal): Promise<boolean> {
    // What runs again as it was is not waited for by a person.
    this.#enter(started === undefined ? 'waiting' : 'starting', this.problem);
    try {
      const approved = await this.#options.approve(signal, started);
      if (signal.aborted) return false;
      if (approved === undefined) {
        this.#enter('refused', 'it was not allowed to start');
        return false;
      }
      this.launchDigest = approved.digest;
      return await this.#attempt(approved.config, signal);
    } catch (error) {
      if (!signal.aborted) this.#enter('failed', messageOf(error));
      return false;
    }
  }

  async #attempt(config: ServerConfig, signal: AbortSignal): Promise<boolean> {
    const { guard, startMs, client: options } = this.#options;
    this.#enter('starting', this.problem);
    const began = performance.now();
    const late = AbortSignal.timeout(startMs);
    let client: Client | undefined;
    try {
      client = await connect(targetOf(config, guard), {
        ...options,
        ...('headers' in config.launch ? { headers: config.launch.headers } : {}),
        // Whoever starts it again has to ask again, and looks at its tools again.
        restart: false,
        signal: AbortSignal.any([signal, late]),
      });
      this.client = client;
      await before(AbortSignal.any([signal, late]), this.#options.ready(client));
      this.startMs = performance.now() - began;
      this.#since = performance.now();
      this.#enter('ready');
      this.#rest();
      void client.closed.then((reason) => this.#lost(client!, reason));
      return false;
    } catch (error) {
      if (this.client === client) await this.#leave();
      await client?.close();
      if (signal.aborted) return false;
      this.#failures++;
      const over = late.aborted || isHopeless(error) || this.#failures >= MOST_FAILURES;
      const problem = late.aborted ? `it did not answer within ${startMs / 1000} seconds` : messageOf(error);
      this.#enter(over ? 'failed' : 'starting', problem);
      return !over;
    }
  }

  /** It did not answer in time. A server that does not even answer that it is there is started anew. */
  async #examine(client: Client): Promise<void> {
    const answers = await client.ping({ timeout: PING_MS }).then(
      () => true,
      () => false,
    );
    if (!answers) await this.#lost(client, new Error('it did not answer any more'));
  }

  /** It is gone. It is started again at once if it had run well, else after a while. */
  async #lost(client: Client, reason: Error | undefined): Promise<void> {
    if (this.client !== client) return;
    const { signal } = this.#life;
    this.#failures = performance.now() - this.#since < QUICK_MS ? this.#failures + 1 : 0;
    const over = this.#failures >= MOST_FAILURES;
    this.#enter(over ? 'failed' : 'starting', reason?.message ?? 'the connection ended');
    await this.#leave();
    if (over || signal.aborted) return;
    if (this.#failures > 0) await this.#again(signal);
    else await this.#begin(this.launchDigest);
  }

  #rest(): void {
    const { idleMs } = this.#options.config;
    if (idleMs === undefined || this.#busy > 0 || this.client === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.stop('idle'), idleMs);
    this.#idle.unref();
  }
}
