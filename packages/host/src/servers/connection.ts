import { type Client, connect, type ConnectOptions, TimeoutError } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { ActionOutcome, ServerStop } from '../recorder.ts';
import type { Approved } from './approval.ts';
import { messageOf } from '../values/message-of.ts';
import { displayText } from '../values/plain-text.ts';
import type { Guard } from './guard.ts';
import { targetOf } from './target.ts';
import type { ServerState, ServerView } from './view.ts';
import { untilAborted, pause } from './waiting.ts';

export interface ConnectionOptions {
  readonly config: ServerConfig;
  readonly guard: Guard;
  /** A server that is not ready by then has failed, in milliseconds. */
  readonly startMs: number;
  /** The first pause before it is started again after it ended too soon, in milliseconds. */
  readonly restartMs: number;
  /** Asks whether it may start, each time it is about to. `started`: what was approved and started before. Undefined: it may not. */
  approve(signal: AbortSignal, started: string | undefined): Promise<Approved | undefined>;
  /** What the client is connected with. `config`: as it was approved, with its variables filled in. */
  client(config: ServerConfig): ConnectOptions;
  ready(client: Client): Promise<void>;
  /** What of its instructions the model may be told. */
  instructions(client: Client): string | undefined;
  /** A start that was allowed is over. */
  startEnded(end: ActionOutcome): void;
  disconnected(stop: ServerStop): void;
  changed(): void;
}

/** After so many failures in a row it is not tried again by itself. */
const MAX_FAILURES = 5;
const MAX_PAUSE_MS = 60_000;
/** A server that ends sooner than this after its start has failed. */
const QUICK_MS = 10_000;
/** A server that lives answers a ping within this time. */
const PING_MS = 5_000;

/** Mistakes of the configuration: trying again changes nothing. */
const isPermanent = (error: unknown): boolean => error instanceof TypeError || /ENOENT|EACCES/.test(String(error));

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
  #disconnected = new AbortController();
  /** Those who wait for it to be there, or not to come. */
  readonly #waiting = new Set<() => void>();
  #failures = 0;
  #running: Promise<void> | undefined;
  #retrying: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;
  #readySince = 0;

  constructor(options: ConnectionOptions) {
    this.alias = options.config.alias;
    this.#options = options;
  }

  /** Starts it, or waits for the start that is on its way. Resolves when it is ready, or has failed once. Never rejects. */
  start(): Promise<void> {
    if (this.state === 'ready' || this.state === 'starting') return this.#running ?? Promise.resolve();
    return this.#startOnce(undefined);
  }

  /** The client, started if it was idle. Throws an `Error` that says why there is none. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    if (this.state === 'idle') await this.#startOnce(this.launchDigest);
    else if (this.state === 'waiting' || this.state === 'starting') await this.#running;
    const { client } = this;
    if (client === undefined) throw new Error(`The server '${this.alias}' is not there: ${this.problem ?? this.state}`);
    this.#busy++;
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof TimeoutError) void this.#checkAlive(client);
      throw error;
    } finally {
      this.#busy--;
      this.#scheduleIdleStop();
    }
  }

  /** Aborts when the process or the connection there is now is gone: what it asked nobody has to answer any more. */
  get disconnected(): AbortSignal {
    return this.#disconnected.signal;
  }

  /** Is it being started, or about to be? */
  get isStarting(): boolean {
    return this.state === 'starting' || this.state === 'waiting';
  }

  /** Resolves when it is there or does not come by itself; at the latest after so many milliseconds, or with the signal. */
  async waitUntilStarted(ms: number, signal: AbortSignal): Promise<void> {
    if (this.state !== 'starting') return;
    let arrived!: () => void;
    const arriving = new Promise<void>((resolve) => (arrived = resolve));
    this.#waiting.add(arrived);
    const over = new AbortController();
    await Promise.race([arriving, pause(ms, AbortSignal.any([signal, over.signal]))]);
    over.abort();
    this.#waiting.delete(arrived);
  }

  /** `by`: who wants it, and why. */
  async stop(by: Pick<ServerStop, 'who' | 'why'>, state: ServerState = 'stopped'): Promise<void> {
    clearTimeout(this.#idle);
    this.#life.abort(new Error(`The server '${this.alias}' is stopped`));
    this.#life = new AbortController();
    this.#failures = 0;
    this.#setState(state);
    await this.#disconnect({ ...by, outcome: 'ok' });
    await Promise.all([this.#running, this.#retrying]);
  }

  view(): ServerView {
    const { client } = this;
    return {
      alias: this.alias,
      state: this.state,
      problem: this.problem,
      revision: client?.revision,
      says: client?.server,
      instructions: client && this.#options.instructions(client),
      startMs: this.startMs,
    };
  }

  #setState(state: ServerState, problem?: string): void {
    this.state = state;
    this.problem = problem && displayText(problem);
    if (state !== 'starting') for (const arrived of this.#waiting) arrived();
    this.#options.changed();
  }

  async #disconnect(stop: ServerStop): Promise<void> {
    const { client } = this;
    if (client === undefined) return;
    this.client = undefined;
    this.#disconnected.abort(new Error(`The server '${this.alias}' is gone`));
    this.#options.disconnected(stop);
    await client.close();
  }

  /** One start at a time. Only the first try is waited for; the others come by themselves. */
  #startOnce(started: string | undefined): Promise<void> {
    this.#running ??= this.#askAndStart(started, this.#life.signal)
      .then((again) => {
        if (again) void this.#scheduleRetry();
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  #scheduleRetry(): Promise<void> {
    return (this.#retrying = this.#retry(this.#life.signal));
  }

  async #retry(signal: AbortSignal): Promise<void> {
    const { restartMs } = this.#options;
    do await pause(Math.min(MAX_PAUSE_MS, restartMs * 2 ** Math.max(0, this.#failures - 1)), signal);
    while (!signal.aborted && (await this.#askAndStart(this.launchDigest, signal)));
  }

  /** Asks and starts. True: it failed, and may be tried again. Never rejects. */
  async #askAndStart(started: string | undefined, signal: AbortSignal): Promise<boolean> {
    // What runs again as it was is not waited for by a person.
    this.#setState(started === undefined ? 'waiting' : 'starting', this.problem);
    try {
      // Whoever is asked for an input may never answer.
      const approved = await untilAborted(signal, this.#options.approve(signal, started));
      if (signal.aborted) return false;
      if (approved === undefined) {
        this.#setState('refused', 'it was not allowed to start');
        return false;
      }
      this.launchDigest = approved.digest;
      return await this.#connect(approved.config, signal);
    } catch (error) {
      if (!signal.aborted) this.#setState('failed', messageOf(error));
      return false;
    }
  }

  async #connect(config: ServerConfig, signal: AbortSignal): Promise<boolean> {
    const { guard, startMs } = this.#options;
    this.#setState('starting', this.problem);
    const began = performance.now();
    const late = AbortSignal.timeout(startMs);
    const gone = (this.#disconnected = new AbortController());
    let client: Client | undefined;
    const tried = (outcome: ActionOutcome['outcome']): void =>
      this.#options.startEnded({ outcome, ms: performance.now() - began, revision: client?.revision });
    try {
      client = await connect(targetOf(config, guard), {
        ...this.#options.client(config),
        // Whoever starts it again has to ask again, and looks at its tools again.
        restart: false,
        signal: AbortSignal.any([signal, late]),
      });
      this.client = client;
      await untilAborted(AbortSignal.any([signal, late]), this.#options.ready(client));
      this.startMs = performance.now() - began;
      this.#readySince = performance.now();
      tried('ok');
      this.#setState('ready');
      this.#scheduleIdleStop();
      void client.closed.then((reason) => this.#onClosed(client!, reason));
      return false;
    } catch (error) {
      const isLate = late.aborted;
      const problem = isLate ? `it did not answer within ${startMs / 1000} seconds` : messageOf(error);
      tried(signal.aborted ? 'cancelled' : isLate ? 'timeout' : 'error');
      if (this.client === client) await this.#disconnect({ who: 'host', why: problem, outcome: 'error' });
      gone.abort(error);
      await client?.close();
      if (signal.aborted) return false;
      this.#failures++;
      const over = isLate || isPermanent(error) || this.#failures >= MAX_FAILURES;
      this.#setState(over ? 'failed' : 'starting', problem);
      return !over;
    }
  }

  /** It did not answer in time. A server that does not even answer that it is there is started anew. */
  async #checkAlive(client: Client): Promise<void> {
    const answers = await client.ping({ timeout: PING_MS }).then(
      () => true,
      () => false,
    );
    if (!answers) await this.#onClosed(client, new Error('it did not answer any more'));
  }

  /** It is gone. It is started again at once if it had run well, else after a while. */
  async #onClosed(client: Client, reason: Error | undefined): Promise<void> {
    if (this.client !== client) return;
    const { signal } = this.#life;
    this.#failures = performance.now() - this.#readySince < QUICK_MS ? this.#failures + 1 : 0;
    const over = this.#failures >= MAX_FAILURES;
    const why = reason?.message ?? 'the connection ended';
    this.#setState(over ? 'failed' : 'starting', why);
    await this.#disconnect({ who: this.alias, why, outcome: 'error' });
    if (over || signal.aborted) return;
    if (this.#failures > 0) await this.#scheduleRetry();
    else await this.#startOnce(this.launchDigest);
  }

  #scheduleIdleStop(): void {
    const { idleMs } = this.#options.config;
    if (idleMs === undefined || this.#busy > 0 || this.client === undefined) return;
    clearTimeout(this.#idle);
    const why = `nothing was wanted of it for ${idleMs} ms`;
    this.#idle = setTimeout(() => void this.stop({ who: 'host', why }, 'idle'), idleMs);
    this.#idle.unref();
  }
}
